// Conversations as the text that a model was taught to go on with, by the template that comes with it.
import { HighwaterError } from "./errors.js";

export interface ChatMessage {
  /** "system", "user", "assistant", or what else the model's template knows. */
  role: string;
  content: string;
}

/** A prompt: text, tokens, or a conversation that the model is to answer in. */
export type Prompt = string | readonly number[] | readonly ChatMessage[];

export function isChat(prompt: Prompt): prompt is readonly ChatMessage[] {
  return typeof prompt !== "string" && typeof prompt[0] === "object";
}

/** Of a tokenizer_config.json, what is used of it here. */
export interface TokenizerConfig {
  chat_template?: string | { name: string; template: string }[];
  bos_token?: SpecialToken;
  eos_token?: SpecialToken;
}
type SpecialToken = string | { content: string } | null;

export function textOf(token: SpecialToken | undefined): string | undefined {
  return typeof token === "object" ? token?.content : token;
}

/** Writes conversations down; none if the model has no template for them. */
export async function openTemplate(
  config: TokenizerConfig,
): Promise<((messages: readonly ChatMessage[]) => string) | undefined> {
  const { chat_template: given } = config;
  const source = Array.isArray(given)
    ? (given.find(({ name }) => name === "default") ?? given[0])?.template
    : given;
  if (!source) return undefined;
  // Loaded only by those who want it.
  const { Template } = await import("@huggingface/jinja");
  const template = new Template(source);
  return (messages) => {
    try {
      return template.render({
        messages: messages.map((message) => ({ ...message })),
        add_generation_prompt: true,
        bos_token: textOf(config.bos_token) ?? "",
        eos_token: textOf(config.eos_token) ?? "",
      });
    } catch (error) {
      // Templates refuse what they do not know, such as a role.
      throw new HighwaterError(`the model's chat template says: ${(error as Error).message}`);
    }
  };
}
