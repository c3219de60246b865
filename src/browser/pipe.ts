/** DevTools protocol over Chromium's two debugging pipes: JSON texts, each ended by a NUL byte. */
import type { Readable, Writable } from "node:stream";
import { Connection } from "puppeteer-core/internal/cdp/Connection.js";
import type { ConnectionTransport } from "puppeteer-core/internal/common/ConnectionTransport.js";

/** A page can make Chromium send a longer message, for example by a huge URL. It would fill the memory of this process. */
const messageBytesMax = 64 * 1024 ** 2;
/** For one command: Chromium answers at once unless the page holds it up. */
const commandMs = 10_000;
const nul = 0;

/** Connection to a browser; closed when the browser ends or sends a message over `messageBytesMax`. */
export function connectByPipe(commands: Writable, answers: Readable): Connection {
  return new Connection("", new PipeTransport(commands, answers), 0, commandMs);
}

class PipeTransport implements ConnectionTransport {
  readonly #commands: Writable;
  readonly #answers: Readable;
  /** Parts of the message that is not complete yet. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  #closed = false;
  onmessage?: (message: string) => void;
  onclose?: () => void;

  constructor(commands: Writable, answers: Readable) {
    this.#commands = commands;
    this.#answers = answers;
    const close = () => this.close();
    commands.on("error", close);
    answers.on("error", close);
    answers.on("close", close);
    answers.on("end", close);
    answers.on("data", (chunk: Buffer) => this.#onData(chunk));
  }

  send(message: string): void {
    if (this.#closed) throw new Error("the browser is gone");
    this.#commands.write(`${message}\0`);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#parts = [];
    this.#commands.destroy();
    this.#answers.destroy();
    this.onclose?.();
  }

  #onData(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(nul); end !== -1 && !this.#closed; end = chunk.indexOf(nul, start)) {
      const last = chunk.subarray(start, end);
      const message = this.#parts.length === 0 ? last.toString() : Buffer.concat([...this.#parts, last]).toString();
      this.#parts = [];
      this.#partBytes = 0;
      start = end + 1;
      this.onmessage?.(message);
    }
    if (this.#closed || start === chunk.length) return;
    this.#parts.push(start === 0 ? chunk : chunk.subarray(start));
    this.#partBytes += chunk.length - start;
    if (this.#partBytes > messageBytesMax) this.close();
  }
}
