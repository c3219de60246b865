/** Updates the page of a running scan, `<div data-follow>`, by server-sent events, or by polling as a fallback. */
import type { ScanEventData, ScanState } from "../scanning/scan-state.ts";

interface ProgressView {
  showStage(name: string | null): void;
  showPercent(value: number): void;
  showPosition(text: string | null): void;
}

/** Runs in the browser: the elements of the page that show progress; null on other pages. */
export function progressView(): ProgressView | null {
  const part = <E extends HTMLElement>(selector: string) => document.querySelector<E>(`[data-follow] ${selector}`);
  const status = part("[data-status]");
  const position = part("[data-place]");
  const percent = part("[data-percent]");
  const bar = part<HTMLProgressElement>("progress");
  const stages = [...document.querySelectorAll<HTMLElement>("[data-follow] [data-stage]")];
  if (status === null || position === null || percent === null || bar === null) return null;
  const percentText = percent.textContent;
  return {
    showStage: (name) => {
      const current = stages.findIndex((stage) => stage.dataset.stage === name);
      const text = stages[current]?.querySelector("[data-name]")?.textContent;
      if (text === undefined || text === null) return;
      stages.forEach((stage, at) => {
        const mark = at < current ? "done" : at === current ? "now" : "next";
        for (const each of stage.querySelectorAll<HTMLElement>("[data-mark]")) each.hidden = each.dataset.mark !== mark;
        if (at === current) stage.setAttribute("aria-current", "step");
        else stage.removeAttribute("aria-current");
      });
      // Setting an equal text would make screen readers announce it again.
      if (status.textContent !== text) status.textContent = text;
    },
    showPercent: (value) => {
      // A late response must not move the bar back.
      if (value < bar.value) return;
      bar.value = value;
      percent.textContent = percentText.replace(/\d+/, String(value));
    },
    showPosition: (text) => {
      position.hidden = text === null;
      position.textContent = text ?? "";
    },
  };
}

/** Runs in the browser. Texts come localized from the page and the server. */
export function followScan(view: ProgressView | null): void {
  if (view === null) return;
  const pollMs = 2_000;
  /** The server sends an event at once; silence means that something buffers the stream. */
  const silenceMsMax = 6_000;
  const address = location.pathname.replace(/\/$/, "");
  let poll: ReturnType<typeof setTimeout> | undefined;
  const isOver = (status: ScanState["status"]) => status === "finished" || status === "failed";

  const ask = async () => {
    try {
      const answer = await fetch(`${address}/state`, { cache: "no-store" });
      const state: ScanState | null = answer.ok ? await answer.json() : null;
      if (state !== null) {
        if (isOver(state.status)) return location.reload();
        view.showPosition(state.text);
        view.showStage(state.stage);
        view.showPercent(state.percent);
      }
    } catch {
      // Temporary failure or unload; the next poll decides.
    }
    poll = setTimeout(ask, pollMs);
  };
  const events = new EventSource(`${address}/events`);
  const startPolling = () => {
    events.close();
    if (poll === undefined) poll = setTimeout(ask, 0);
  };
  let silenceTimer = setTimeout(startPolling, silenceMsMax);
  const on = <E extends keyof ScanEventData>(name: E, show: (data: ScanEventData[E]) => void) =>
    events.addEventListener(name, (event: MessageEvent<string>) => {
      clearTimeout(silenceTimer);
      show(JSON.parse(event.data));
    });
  on("position", ({ text }) => view.showPosition(text));
  on("stage", ({ stage }) => view.showStage(stage));
  on("percent", (data) => view.showPercent(data.percent));
  on("done", () => {
    events.close();
    location.reload();
  });
  events.addEventListener("error", () => {
    // The browser reconnects by itself, which must be bounded too.
    if (events.readyState === EventSource.CLOSED) return startPolling();
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(startPolling, silenceMsMax);
  });
}
