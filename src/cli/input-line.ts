/** Reads what is typed or piped into a command. */
import { firstLineOf } from "../app/passwords.ts";
import { currentTerminal } from "./terminal.ts";

/** Characters read from stdin at most; far more than the longest password or name. */
const inputCharsMax = 65_536;

/** First line of stdin. Stops at its end, so that it can be typed. */
export async function firstLineOfInput(): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of currentTerminal().stdin.stream()) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n") || text.length > inputCharsMax) break;
  }
  return firstLineOf(text);
}
