// Text to tokens and back.
import { type ChatMessage, openTemplate, textOf, type TokenizerConfig } from "./chat.js";
import { HighwaterError } from "./errors.js";

/** Any object with the first two will do. */
export interface Tokenizer {
  encode(text: string): number[];
  /** Without special tokens. */
  decode(tokens: number[]): string;
  /** A conversation, up to where the model is to answer. */
  encodeChat?(messages: readonly ChatMessage[]): number[];
  /** Tokens that end a text, beside those that the model's file tells. */
  endTokens?: readonly number[];
}

/** A tokenizer, the content of a tokenizer.json, or the URL of one. */
export type TokenizerSource = Tokenizer | string | URL | object;

export async function openTokenizer(
  source: TokenizerSource,
  config: string | URL | object | undefined,
  signal?: AbortSignal,
): Promise<Tokenizer> {
  if (typeof source === "object" && "encode" in source && "decode" in source) {
    return source as Tokenizer;
  }
  // Loaded only by those who want it.
  const [{ Tokenizer: HuggingFace }, json, settings] = await Promise.all([
    import("@huggingface/tokenizers"),
    get(source, signal),
    get(config ?? {}, signal) as Promise<TokenizerConfig>,
  ]);
  const tokenizer = new HuggingFace(json, settings);
  const template = await openTemplate(settings);
  const end = textOf(settings.eos_token);
  const endToken = end === undefined ? undefined : tokenizer.token_to_id(end);
  return {
    encode: (text) => tokenizer.encode(text).ids,
    decode: (tokens) =>
      tokens.length === 0 ? "" : tokenizer.decode(tokens, { skip_special_tokens: true }),
    // Special tokens are in the template.
    encodeChat:
      template &&
      ((messages) => tokenizer.encode(template(messages), { add_special_tokens: false }).ids),
    endTokens: endToken === undefined ? [] : [endToken],
  };
}

/** JSON that is here already, or what a URL has. */
async function get(source: string | URL | object, signal?: AbortSignal): Promise<object> {
  if (typeof source !== "string" && !(source instanceof URL)) return source;
  const response = await fetch(source, { signal });
  if (!response.ok) {
    throw new HighwaterError(
      `the tokenizer ${source} could not be fetched: ${response.status} ${response.statusText}`,
    );
  }
  return (await response.json()) as object;
}
