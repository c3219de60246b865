/** Schema of the settings of the server's metrics, which are off by default. */
import { parseEndpoint } from "../parse/address.ts";
import { optional, parsed, path, setting } from "./setting.ts";

export const settingsOfMetrics = {
  "metrics.listen": setting(optional(parsed(parseEndpoint)), {
    doc: "Address and port for /metrics alone, without a token. Port 0 takes a free one.",
    allowed: "address:port, as in 127.0.0.1:8789",
    fallback: () => null,
  }),
  "metrics.token_file": setting(optional(path), {
    doc: "File whose first line is the bearer token that opens /metrics beside pages and API.",
    allowed: "a file",
    fallback: () => null,
    isPath: true,
  }),
} as const;
