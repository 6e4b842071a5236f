// Text from a language model. Tokens are drawn on the device, several for each submit.
import { isChat, type Prompt } from "./chat.js";
import { HighwaterError } from "./errors.js";
import type { TextDescription } from "./description.js";
import type { Tokenizer } from "./tokenizer.js";

export interface GenerateOptions {
  /** 0, the default, takes the likeliest token each time. */
  temperature?: number;
  /** Draws among so many of the likeliest; 0 means all. */
  topK?: number;
  /** And among those that together have this probability. */
  topP?: number;
  /** The same seed gives the same text; a new one each time if it is not said. */
  seed?: number;
  /** The most tokens; as many as the model has room for if it is not said. */
  maxTokens?: number;
  /** Tokens that are drawn together: more are quicker, fewer show sooner. 4 if it is not said. */
  tokensPerSubmit?: number;
  /** The text ends before any of these. */
  stop?: string | readonly string[];
  /** Ends the text where it is, by throwing the signal's reason. */
  signal?: AbortSignal;
  /** Told of all tokens, as they are drawn. */
  onTokens?: (tokens: readonly number[]) => void;
}

/** How tokens are chosen; as in GenerateOptions, with nothing left out. */
export interface Sampling {
  temperature: number;
  topK: number;
  topP: number;
  seed: number;
}

/** What generating needs of a model. */
export interface TextModel {
  readonly description: { text?: TextDescription };
  readonly tokenizer: Tokenizer | undefined;
  /** Tokens that follow on others. */
  draw(tokens: readonly number[], count: number, sampling: Sampling): Promise<number[]>;
}

export async function* generate(
  model: TextModel,
  prompt: Prompt,
  options: GenerateOptions = {},
): AsyncGenerator<string> {
  const { text } = model.description;
  if (!text) throw new HighwaterError("this model does not write text: it has no cache");
  const { tokenizer } = model;
  if (!tokenizer) {
    throw new HighwaterError(
      "load the model with { tokenizer } for text, such as its tokenizer.json",
    );
  }
  const { temperature = 0, topK = 0, topP = 1 } = options;
  const { seed = Math.floor(Math.random() * 2 ** 32) } = options;
  const begin = tokensOf(prompt, tokenizer);
  if (begin.length === 0) {
    if (text.beginToken === undefined) throw new HighwaterError("the prompt is empty");
    begin.push(text.beginToken);
  }
  const stops = typeof options.stop === "string" ? [options.stop] : (options.stop ?? []);
  const endTokens = [...text.endTokens, ...(tokenizer.endTokens ?? [])];
  const room = text.capacity - begin.length;
  const most = Math.min(options.maxTokens ?? room, room);
  const stream = new TextStream((tokens) => tokenizer.decode(tokens), stops);
  const tokens = [...begin];
  while (tokens.length - begin.length < most && !stream.isOver) {
    options.signal?.throwIfAborted();
    const left = most - (tokens.length - begin.length);
    const count = Math.min(options.tokensPerSubmit ?? 4, left);
    const drawn = await model.draw(tokens, count, { temperature, topK, topP, seed });
    options.signal?.throwIfAborted();
    const end = drawn.findIndex((token) => endTokens.includes(token));
    const kept = end < 0 ? drawn : drawn.slice(0, end);
    tokens.push(...kept);
    options.onTokens?.(kept);
    const piece = stream.add(kept);
    if (piece) yield piece;
    if (end >= 0) break;
  }
  const rest = stream.end();
  if (rest) yield rest;
}

function tokensOf(prompt: Prompt, tokenizer: Tokenizer): number[] {
  if (typeof prompt === "string") return tokenizer.encode(prompt);
  if (!isChat(prompt)) return [...prompt];
  if (!tokenizer.encodeChat) {
    throw new HighwaterError(
      "there is no chat template for a conversation; load the model with { tokenizerConfig }, such " +
        "as its tokenizer_config.json",
    );
  }
  return tokenizer.encodeChat(prompt);
}

/** Tokens in, text out. A character that is spread over several tokens comes out whole. */
export class TextStream {
  #tokens: number[] = [];
  #shown = "";
  isOver = false;

  constructor(
    readonly decode: (tokens: number[]) => string,
    readonly stops: readonly string[],
  ) {}

  add(tokens: readonly number[]): string {
    this.#tokens.push(...tokens);
    return this.#show(this.decode(this.#tokens), false);
  }
  end(): string {
    return this.isOver ? "" : this.#show(this.decode(this.#tokens), true);
  }

  #show(text: string, isAll: boolean): string {
    const at = this.stops.map((stop) => text.indexOf(stop)).filter((found) => found >= 0);
    if (at.length > 0) {
      this.isOver = true;
      return this.#take(text.slice(0, Math.min(...at)));
    }
    return this.#take(isAll ? text : text.slice(0, text.length - this.#held(text)));
  }

  /** How much of the end may yet become something else: half a character, or a stop string. */
  #held(text: string): number {
    let held = 0;
    while (text.at(-1 - held) === "\ufffd") held += 1;
    for (const stop of this.stops) {
      for (let size = Math.min(stop.length - 1, text.length); size > held; size--) {
        if (text.endsWith(stop.slice(0, size))) held = size;
      }
    }
    return held;
  }

  #take(text: string): string {
    const piece = text.slice(this.#shown.length);
    if (piece) this.#shown = text;
    return piece;
  }
}
