/** Updates the page of a running scan, `<div data-follow>`, by server-sent events, or by polling as a fallback. */
import type { FollowedState, ScanEventData } from "../scans/state.ts";
import type { elapsedText, movingPercent, StagePercent } from "./progress-texts.ts";

interface ProgressView {
  showStage(name: string | null): void;
  showPercent(progress: StagePercent): void;
  showPosition(text: string | null): void;
  showAbsence(text: string | null): void;
}

/** Runs in the browser: keeps the one live region of the page; each call names a stage that has begun. */
export function stageAnnouncer(): (name: string) => void {
  /** Stages may follow each other faster than a screen reader speaks. */
  const pauseMs = 2_000;
  const status = document.querySelector<HTMLElement>("[data-follow] [data-status]");
  const nowText = status?.textContent ?? "";
  let current = document.querySelector("[data-follow] [data-now]")?.textContent ?? "";
  let finished: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isFirst = document.querySelector("[data-follow] [aria-current]") === null;
  const template = nowText.replace(current, "*");

  const announce = () => {
    timer = undefined;
    const now = template.replace("*", () => current);
    const before = finished.length === 0 ? "" : `${status?.dataset.finished?.replace("*", () => finished.join(", "))} `;
    // Setting an equal text would make screen readers announce it again.
    if (status === null || status.textContent?.endsWith(now) === true) return;
    status.textContent = before + now;
    finished = [];
    timer = setTimeout(announce, pauseMs);
  };
  return (name) => {
    if (name === current) return;
    // Before the first stage nothing has finished.
    if (!isFirst) finished.push(current);
    isFirst = false;
    current = name;
    if (timer === undefined) announce();
  };
}

/** Runs in the browser: the elements of the page that show progress; null on other pages. */
export function progressView(
  announceStage: (name: string) => void,
  percentOf: typeof movingPercent,
  textOf: typeof elapsedText,
): ProgressView | null {
  const stepMs = 250;
  const part = <E extends HTMLElement>(selector: string) => document.querySelector<E>(`[data-follow] ${selector}`);
  const [now, position, percent, elapsed] = [part("[data-now]"), part("[data-place]"), part("[data-percent]"), part("[data-elapsed]")];
  const bar = part<HTMLProgressElement>("progress");
  const stages = [...document.querySelectorAll<HTMLElement>("[data-follow] [data-stage]")];
  if (now === null || position === null || percent === null || elapsed === null || bar === null) return null;
  const percentText = percent.textContent ?? "";
  const title = document.title.split(" \u00b7 ").at(-1);
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let progress: StagePercent | null = null;
  let stageBeganMs = 0;
  let beganMs = performance.now() - Number(elapsed.dataset.elapsed);

  const showProgress = () => {
    if (progress === null) return;
    const moving = percentOf(isStill ? { ...progress, usualMs: null } : { ...progress, sinceMs: performance.now() - stageBeganMs });
    // A late response must not move the bar back.
    bar.value = Math.max(bar.value, moving);
    percent.textContent = percentText.replace(/\d+/, String(Math.floor(bar.value)));
    document.title = `${percent.textContent} \u00b7 ${title}`;
  };
  setInterval(() => {
    elapsed.textContent = textOf(performance.now() - beganMs, document.documentElement.lang);
    showProgress();
  }, stepMs);

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
      now.textContent = text;
      announceStage(text);
    },
    showPercent: (latest) => {
      progress = latest;
      stageBeganMs = performance.now() - latest.sinceMs;
      showProgress();
    },
    showPosition: (text) => {
      // The scan has left the queue.
      if (text === null && !position.hidden) {
        beganMs = performance.now();
        for (const each of document.querySelectorAll<HTMLElement>("[data-when]")) each.hidden = each.dataset.when === "queued";
      }
      position.hidden = text === null;
      position.textContent = text ?? "";
    },
    showAbsence: (text) => {
      const [notice, sentence] = [part("[data-absence]"), part("[data-absence] p")];
      if (notice === null || sentence === null) return;
      notice.hidden = text === null;
      sentence.textContent = text;
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
  const isOver = (status: FollowedState["status"]) => status === "finished" || status === "failed";
  /** The fragment makes `focusResult` move the focus on the page that follows. */
  const showResult = () => {
    history.replaceState(null, "", "#result");
    location.reload();
  };

  const ask = async () => {
    try {
      const answer = await fetch(`${address}/state`, { cache: "no-store" });
      // The scan was cancelled, or the visitor has signed out: the page says so.
      if (answer.status === 404 || answer.status === 401) return showResult();
      const state: FollowedState | null = answer.ok ? await answer.json() : null;
      if (state !== null) {
        if (isOver(state.status)) return showResult();
        view.showPosition(state.text);
        view.showAbsence(state.absence);
        view.showStage(state.stage);
        if (state.stage !== null) view.showPercent(state);
      }
    } catch {
      // Temporary failure or unload; the next poll decides.
    }
    poll = setTimeout(ask, pollMs);
  };
  if (document.querySelector('[data-follow="poll"]') !== null) {
    poll = setTimeout(ask, 0);
    return;
  }
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
  on("absence", ({ text }) => view.showAbsence(text));
  on("stage", ({ stage }) => view.showStage(stage));
  on("percent", (data) => view.showPercent(data));
  on("done", () => {
    events.close();
    showResult();
  });
  events.addEventListener("error", () => {
    // The browser reconnects by itself, which must be bounded too.
    if (events.readyState === EventSource.CLOSED) return startPolling();
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(startPolling, silenceMsMax);
  });
}

/** Runs in the browser: moves the focus to the heading of the page that replaced the progress of a scan. */
export function focusResult(): void {
  const heading = document.querySelector<HTMLElement>("h1");
  if (location.hash !== "#result" || heading === null) return;
  heading.tabIndex = -1;
  heading.focus();
  history.replaceState(null, "", location.pathname + location.search);
}
