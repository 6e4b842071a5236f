"""Trains the model for a given time, and goes on where an interrupted run stopped."""

import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F

from training import fake_quantize, held_out, text, tokens
from training.llama import Llama
from training.muon import Muon
from training.places import ARCHITECTURE, CHECKPOINT, LOG, PARAMS, STATE
from training.schedule import BATCH, Moment

SEED = 1611
DROPOUT = 0.0  # a text that is read three or four times is not learned by heart
RATES = {"matrices": 0.015, "embeddings": 0.004, "rest": 0.003}
SAVE_SECONDS = 180
SCALES_STEPS = 20  # between two choices of the scales
PIECES = 4  # of a batch: a thread that another program slows down computes fewer of them


def optimizers(model: Llama, pool: ThreadPoolExecutor) -> list[torch.optim.Optimizer]:
    named = dict(model.named_parameters())
    matrices = [p for name, p in named.items() if name.startswith("layers") and p.dim() == 2]
    embeddings = [named["tok_embeddings.weight"]]
    taken = {id(p) for p in (*matrices, *embeddings)}
    rest = [p for p in named.values() if id(p) not in taken]
    groups = [dict(params=embeddings, lr=RATES["embeddings"]), dict(params=rest, lr=RATES["rest"])]
    return [Muon(matrices, RATES["matrices"], pool), torch.optim.AdamW(groups, betas=(0.9, 0.95))]


@dataclass
class Run:
    seconds: float
    threads: int
    model: Llama
    learn: torch.Tensor
    examine: torch.Tensor
    spent: float = 0.0
    step: int = 0
    seen: int = 0
    recent: list[float] = field(default_factory=list)

    def __post_init__(self):
        self.pool = ThreadPoolExecutor(self.threads)
        self.adding = threading.Lock()
        self.weights = list(self.model.parameters())
        self.optimizers = optimizers(self.model, self.pool)
        self.peaks = [[g["lr"] for g in optimizer.param_groups] for optimizer in self.optimizers]
        self.generator = torch.Generator().manual_seed(SEED)
        if STATE.exists():
            self.resume()

    @property
    def moment(self) -> Moment:
        return Moment(self.spent / self.seconds)

    def go(self):
        saved = self.spent
        while self.spent < self.seconds:
            began = time.monotonic()
            self.take_step()
            self.spent += time.monotonic() - began
            if self.spent - saved > SAVE_SECONDS:
                saved = self.spent
                self.examine_and_save()
        self.examine_and_save()
        sys.stderr.write("\n")

    def take_step(self):
        now = self.moment
        if now.rounded:
            fake_quantize.start(self.model)
            if self.step % SCALES_STEPS == 0:
                fake_quantize.choose_scales_again(self.model)
        losses = list(self.pool.map(self.learn_piece, self.windows(now).chunk(PIECES)))
        for optimizer, peaks in zip(self.optimizers, self.peaks, strict=True):
            for group, peak in zip(optimizer.param_groups, peaks, strict=True):
                group["lr"] = peak * now.rate
            optimizer.step()
            optimizer.zero_grad()
        self.step += 1
        self.seen += BATCH
        self.recent = [*self.recent[-49:], sum(losses) / PIECES]
        self.show()

    def learn_piece(self, windows: torch.Tensor) -> float:
        logits = self.model(windows[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
        gradients = torch.autograd.grad(loss / PIECES, self.weights)
        with self.adding:
            for weight, gradient in zip(self.weights, gradients, strict=True):
                weight.grad = gradient if weight.grad is None else weight.grad.add_(gradient)
        return loss.item()

    def windows(self, now: Moment) -> torch.Tensor:
        last = len(self.learn) - now.length - 1
        starts = torch.randint(last, (now.windows, 1), generator=self.generator)
        return self.learn[starts + torch.arange(now.length + 1)]

    def show(self):
        left = max(self.seconds - self.spent, 0) / 60
        speed = self.seen / max(self.spent, 1e-9)
        mean = sum(self.recent) / len(self.recent)
        sys.stderr.write(
            f"\rstep {self.step:5d}   loss {mean:.3f}   {speed:5.0f} tokens/s   "
            f"{self.moment.done:4.0%}   {left:.0f} min left "
        )

    def examine_and_save(self):
        self.model.eval()
        nats = held_out.loss(self.model, self.examine, every=4)
        self.model.train()
        mean = sum(self.recent) / len(self.recent)
        entry = dict(
            step=self.step, seen=self.seen, minutes=self.spent / 60, loss=mean, held_out=nats
        )
        with LOG.open("a") as log:
            log.write(json.dumps(entry) + "\n")
        sys.stderr.write(f"  held out {nats:.3f}\n")
        state = dict(
            weights=fake_quantize.plain_weights(self.model),
            optimizers=[optimizer.state_dict() for optimizer in self.optimizers],
            generator=self.generator.get_state(),
            spent=self.spent,
            step=self.step,
            seen=self.seen,
        )
        unfinished = STATE.with_suffix(".tmp")
        torch.save(state, unfinished)
        unfinished.replace(STATE)

    def resume(self):
        state = torch.load(STATE)
        self.model.load_state_dict(state["weights"])
        for optimizer, kept in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(kept)
        self.generator.set_state(state["generator"])
        self.spent, self.step, self.seen = state["spent"], state["step"], state["seen"]
        print(f"Going on after {self.step} steps and {self.spent / 60:.0f} minutes.")


def train(minutes: float, threads: int) -> None:
    torch.set_num_threads(1)  # the threads are ours: each computes a piece of the batch
    torch.manual_seed(SEED)
    learn, examine = text.split(text.read_text())
    tokenizer = tokens.train_tokenizer(learn)
    model = Llama(dropout=DROPOUT).train()
    ids = (tokens.encode(tokenizer, part) for part in (learn, examine))
    Run(minutes * 60, threads, model, *ids).go()
    # Half as large, and finer than 4 bits by far.
    weights = fake_quantize.plain_weights(model)
    torch.save({name: weight.bfloat16() for name, weight in weights.items()}, CHECKPOINT)
    PARAMS.write_text(json.dumps(ARCHITECTURE, indent=2) + "\n")
