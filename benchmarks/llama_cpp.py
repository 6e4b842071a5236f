"""llama.cpp, called through its C interface. node-llama-cpp's package has the libraries."""

import ctypes
import os
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int32, c_uint8, c_uint32, c_void_p
from pathlib import Path

Token = c_int32


class ModelParams(ctypes.Structure):
    """Made and read by llama.cpp alone. It goes through memory, where it may be too large."""

    _fields_ = (("all", c_uint8 * 512),)


class ContextParams(ctypes.Structure):
    """What is set here comes first; what follows stays as llama.cpp made it."""

    _fields_ = (("context", c_uint32), ("batch", c_uint32), ("rest", c_uint8 * 504))


class Batch(ctypes.Structure):
    _fields_ = (("count", c_int32), ("pointers", c_void_p * 6))


# What is called: what it gives, and what it takes.
FUNCTIONS = {
    "llama_backend_init": (None, []),
    "llama_model_default_params": (ModelParams, []),
    "llama_context_default_params": (ContextParams, []),
    "llama_model_load_from_file": (c_void_p, [c_char_p, ModelParams]),
    "llama_init_from_model": (c_void_p, [c_void_p, ContextParams]),
    "llama_n_ctx": (c_uint32, [c_void_p]),
    "llama_n_batch": (c_uint32, [c_void_p]),
    "llama_set_n_threads": (None, [c_void_p, c_int32, c_int32]),
    "llama_get_memory": (c_void_p, [c_void_p]),
    "llama_memory_seq_rm": (c_bool, [c_void_p, c_int32, c_int32, c_int32]),
    "llama_batch_get_one": (Batch, [POINTER(Token), c_int32]),
    "llama_decode": (c_int32, [c_void_p, Batch]),
    "llama_get_logits_ith": (POINTER(c_float), [c_void_p, c_int32]),
}


def libraries(folder: Path) -> ctypes.CDLL:
    """`folder` has libllama and libggml; the latter then finds the one that suits the processor."""
    ggml, llama = (ctypes.CDLL(str(next(folder.glob(f"lib{n}.*so*")))) for n in ("ggml", "llama"))
    ggml.ggml_backend_load_all_from_path.argtypes = [c_char_p]
    ggml.ggml_backend_load_all_from_path(str(folder).encode())
    for name, (gives, takes) in FUNCTIONS.items():
        function = getattr(llama, name)
        function.restype, function.argtypes = gives, takes
    llama.llama_backend_init()
    return llama


class Text:
    """A model, and one text that it has read a part of."""

    def __init__(self, llama: ctypes.CDLL, path: Path, tokens: int, at_once: int):
        """There is room for so many tokens in the text, and in one call."""
        self.llama = llama
        params = llama.llama_context_default_params()
        params.context, params.batch = tokens, at_once
        self.model = llama.llama_model_load_from_file(
            str(path).encode(), llama.llama_model_default_params()
        )
        if not self.model:
            raise RuntimeError("llama.cpp cannot load the model")
        self.context = llama.llama_init_from_model(self.model, params)
        # What was set is where llama.cpp looks for it, or it would not have so much room.
        room = self.context and (
            llama.llama_n_ctx(self.context),
            llama.llama_n_batch(self.context),
        )
        if not room or room[0] < tokens or room[1] < at_once:
            raise RuntimeError(f"llama.cpp makes no room for {tokens} tokens")
        llama.llama_set_n_threads(self.context, os.cpu_count(), os.cpu_count())

    def read(self, tokens: list[int], position: int) -> POINTER(c_float):
        """The logits of the last of these tokens, which are at a position, after those before."""
        memory = self.llama.llama_get_memory(self.context)
        self.llama.llama_memory_seq_rm(memory, 0, position, -1)
        given = (Token * len(tokens))(*tokens)
        batch = self.llama.llama_batch_get_one(given, len(tokens))
        failed = self.llama.llama_decode(self.context, batch)
        if failed:
            raise RuntimeError(f"llama.cpp does not decode: {failed}")
        return self.llama.llama_get_logits_ith(self.context, -1)
