// Conversations as text and as tokens, against what Python makes of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { before, describe, it } from "node:test";
import { openTemplate } from "../dist/chat.js";
import { openTokenizer } from "../dist/tokenizer.js";
import { makeNative, native, root } from "./support/native.mjs";

describe("a chat template", () => {
  const read = (file) => JSON.parse(readFileSync(file, "utf8"));
  const chats = () => read(path.join(native, "chats.json"));
  before(makeNative);

  it("writes what Python's jinja2 writes", async () => {
    for (const { config, messages, text } of chats()) {
      assert.equal((await openTemplate(config))(messages), text);
    }
  });

  it("becomes the tokens of Python's tokenizers, and names the token that ends", async () => {
    const json = read(path.join(root, "models/kjv/tokenizer.json"));
    for (const { config, messages, tokens } of chats()) {
      const tokenizer = await openTokenizer(json, config);
      assert.deepEqual(tokenizer.encodeChat(messages), tokens);
    }
    const [end] = json.added_tokens;
    const tokenizer = await openTokenizer(json, { eos_token: end.content });
    assert.deepEqual(tokenizer.endTokens, [end.id]);
    assert.equal(tokenizer.encodeChat, undefined);
  });

  it("that refuses a role says so", async () => {
    const render = await openTemplate(chats()[1].config);
    assert.throws(() => render([{ role: "tool", content: "" }]), /only users and assistants/);
  });
});
