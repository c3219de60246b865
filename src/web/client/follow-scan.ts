/** Keeps the page of a running scan up to date, `<div data-follow>`: by events, or by asking again and again where none get through. */

import type { ScanEventData, ScanState } from "../scanning/scan-state.ts";

/** Runs in the browser. The texts it shows come from the page and from the server, in the visitor's language. */
export function followScan(): void {
  const pollMs = 2_000;
  /** The server speaks at once; a connection that stays silent for so long is held back somewhere. */
  const silentMs = 6_000;
  const part = <E extends HTMLElement>(selector: string) => document.querySelector<E>(`[data-follow] ${selector}`);
  const status = part("[data-status]");
  const place = part("[data-place]");
  const percent = part("[data-percent]");
  const bar = part<HTMLProgressElement>("progress");
  const stages = [...document.querySelectorAll<HTMLElement>("[data-follow] [data-stage]")];
  if (status === null || place === null || percent === null || bar === null) return;
  const address = location.pathname.replace(/\/$/, "");
  const percentText = percent.textContent;
  let poll: ReturnType<typeof setTimeout> | undefined;

  const showStage = (name: string | null) => {
    const current = stages.findIndex((stage) => stage.dataset.stage === name);
    const text = stages[current]?.querySelector("[data-name]")?.textContent;
    if (text === undefined || text === null) return;
    stages.forEach((stage, at) => {
      const mark = at < current ? "done" : at === current ? "now" : "next";
      for (const each of stage.querySelectorAll<HTMLElement>("[data-mark]")) each.hidden = each.dataset.mark !== mark;
      if (at === current) stage.setAttribute("aria-current", "step");
      else stage.removeAttribute("aria-current");
    });
    // Only when it is another one: whoever listens hears every change.
    if (status.textContent !== text) status.textContent = text;
  };
  const showPercent = (value: number) => {
    // Of an answer that was overtaken.
    if (value < bar.value) return;
    bar.value = value;
    percent.textContent = percentText.replace(/\d+/, String(value));
  };
  const showPlace = (text: string | null) => {
    place.hidden = text === null;
    place.textContent = text ?? "";
  };
  const isOver = (status: ScanState["status"]) => status === "finished" || status === "failed";

  const ask = async () => {
    try {
      const answer = await fetch(`${address}/state`, { cache: "no-store" });
      const state: ScanState | null = answer.ok ? await answer.json() : null;
      if (state !== null) {
        if (isOver(state.status)) return location.reload();
        showPlace(state.text);
        showStage(state.stage);
        showPercent(state.percent);
      }
    } catch {
      // The server is away for a moment, or the window goes; the next look tells.
    }
    poll = setTimeout(ask, pollMs);
  };
  const events = new EventSource(`${address}/events`);
  const askInstead = () => {
    events.close();
    if (poll === undefined) poll = setTimeout(ask, 0);
  };
  let silence = setTimeout(askInstead, silentMs);
  const on = <E extends keyof ScanEventData>(name: E, show: (data: ScanEventData[E]) => void) =>
    events.addEventListener(name, (event: MessageEvent<string>) => {
      clearTimeout(silence);
      show(JSON.parse(event.data));
    });
  on("position", ({ text }) => showPlace(text));
  on("stage", ({ stage }) => showStage(stage));
  on("percent", (data) => showPercent(data.percent));
  on("done", () => {
    events.close();
    location.reload();
  });
  events.addEventListener("error", () => {
    // Otherwise the browser connects again by itself, which must not take for ever either.
    if (events.readyState === EventSource.CLOSED) return askInstead();
    clearTimeout(silence);
    silence = setTimeout(askInstead, silentMs);
  });
}
