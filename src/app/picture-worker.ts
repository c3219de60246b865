/** Entry of the thread that draws pictures. */
import { parentPort } from "node:worker_threads";
import { messageOf } from "../base/log.ts";
import type { PictureReply, PictureTask } from "../web/picture/pictures.ts";
import { renderPng } from "../web/picture/render-png.ts";

parentPort?.on("message", async ({ id, svg, widthPx }: PictureTask) => {
  const reply: PictureReply = await renderPng(svg, widthPx).then(
    (png) => ({ id, png }),
    (error) => ({ id, fault: messageOf(error) }),
  );
  parentPort?.postMessage(reply);
});
