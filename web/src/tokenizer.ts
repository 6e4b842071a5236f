// Text to tokens and back.
import { HighwaterError } from "./errors.js";

/** Any object with these two will do. */
export interface Tokenizer {
  encode(text: string): number[];
  /** Without special tokens. */
  decode(tokens: number[]): string;
}

/** A tokenizer, the content of a tokenizer.json, or the URL of one. */
export type TokenizerSource = Tokenizer | string | URL | object;

export async function openTokenizer(
  source: TokenizerSource,
  signal?: AbortSignal,
): Promise<Tokenizer> {
  if (typeof source === "object" && "encode" in source && "decode" in source) {
    return source as Tokenizer;
  }
  const json =
    typeof source === "string" || source instanceof URL ? await get(source, signal) : source;
  // Loaded only by those who want it.
  const { Tokenizer: HuggingFace } = await import("@huggingface/tokenizers");
  const tokenizer = new HuggingFace(json, {});
  return {
    encode: (text) => tokenizer.encode(text).ids,
    decode: (tokens) =>
      tokens.length === 0 ? "" : tokenizer.decode(tokens, { skip_special_tokens: true }),
  };
}

async function get(url: string | URL, signal?: AbortSignal): Promise<object> {
  const response = await fetch(url, { signal });
  if (!response.ok) {
    throw new HighwaterError(
      `the tokenizer ${url} could not be fetched: ${response.status} ${response.statusText}`,
    );
  }
  return (await response.json()) as object;
}
