/** What the program contains beside npm packages' own code: libraries inside Bun and inside the browser. Names and licences only. */

export interface ForeignPart {
  readonly name: string;
  /** SPDX expression. */
  readonly licence: string;
  readonly url: string;
}

interface ForeignGroup {
  readonly title: string;
  readonly remark: string;
  /** Part of the browser, which slim programs lack. */
  readonly isBrowser: boolean;
  readonly parts: readonly ForeignPart[];
}

/** Row of a group: name, licence, and address of the source. */
const part = (name: string, licence: string, url: string): ForeignPart => ({ name, licence, url });

export const foreignGroups: readonly ForeignGroup[] = [
  {
    title: "Libraries inside Bun",
    remark:
      "Bun, the runtime, is under the MIT licence and statically links the libraries below. JavaScriptCore and TinyCC are under the LGPL: Bun's source, with instructions that link it to another version of them, is at https://github.com/oven-sh/bun (LICENSE.md), and the source of the program around it is that of assay.",
    isBrowser: false,
    parts: [
      part("JavaScriptCore, WTF and parts of WebCore", "LGPL-2.0-or-later AND BSD-2-Clause", "https://github.com/oven-sh/WebKit"),
      part("BoringSSL", "Apache-2.0 AND OpenSSL AND ISC AND MIT", "https://boringssl.googlesource.com/boringssl/"),
      part("brotli", "MIT", "https://github.com/google/brotli"),
      part("c-ares", "MIT", "https://github.com/c-ares/c-ares"),
      part("highway", "Apache-2.0", "https://github.com/google/highway"),
      part("ICU", "Unicode-3.0", "https://github.com/unicode-org/icu"),
      part("libarchive", "BSD-2-Clause", "https://github.com/libarchive/libarchive"),
      part("libbase64", "BSD-2-Clause", "https://github.com/aklomp/base64"),
      part("libdeflate", "MIT", "https://github.com/ebiggers/libdeflate"),
      part("libjpeg-turbo", "BSD-3-Clause AND IJG AND Zlib", "https://github.com/libjpeg-turbo/libjpeg-turbo"),
      part("libspng", "BSD-2-Clause", "https://github.com/randy408/libspng"),
      part("libwebp", "BSD-3-Clause", "https://github.com/webmproject/libwebp"),
      part("lol-html", "BSD-3-Clause", "https://github.com/cloudflare/lol-html"),
      part("ls-hpack and ls-qpack", "MIT", "https://github.com/litespeedtech"),
      part("lsquic", "MIT AND BSD-3-Clause", "https://github.com/litespeedtech/lsquic"),
      part("mimalloc", "MIT", "https://github.com/microsoft/mimalloc"),
      part("picohttpparser", "MIT", "https://github.com/h2o/picohttpparser"),
      part("simdutf", "Apache-2.0", "https://github.com/simdutf/simdutf"),
      part("TigerBeetle (parts)", "Apache-2.0", "https://github.com/tigerbeetle/tigerbeetle"),
      part("TinyCC", "LGPL-2.1-or-later", "https://github.com/TinyCC/tinycc"),
      part("uSockets and uWebSockets", "Apache-2.0", "https://github.com/uNetworking"),
      part("uucode", "MIT", "https://github.com/jacobsandlund/uucode"),
      part("zlib-ng", "Zlib", "https://github.com/zlib-ng/zlib-ng"),
      part("zstd", "BSD-3-Clause", "https://github.com/facebook/zstd"),
    ],
  },
  {
    title: "The browser",
    remark:
      "Chromium's headless shell, built by the authors of @sparticuz/chromium, with the libraries and fonts beside it. Chromium itself contains several hundred components; the table has the large ones that this build is known to use. The whole list, with every copyright notice, is what Chromium of the same version shows at chrome://credits; it is not part of the packed shell, so it cannot be reproduced here. The source of all of them is at https://chromium.googlesource.com/chromium/src, below third_party.",
    isBrowser: true,
    parts: [
      part("Chromium and V8", "BSD-3-Clause", "https://chromium.googlesource.com/chromium/src"),
      part("NSS", "MPL-2.0", "https://hg.mozilla.org/projects/nss"),
      part("NSPR", "MPL-2.0", "https://hg.mozilla.org/projects/nspr"),
      part("Expat", "MIT", "https://github.com/libexpat/libexpat"),
      part("Open Sans", "Apache-2.0", "https://github.com/googlefonts/opensans"),
      part("Blink (parts from WebKit)", "LGPL-2.0-or-later AND BSD-2-Clause", "https://chromium.googlesource.com/chromium/src"),
      part("Abseil", "Apache-2.0", "https://github.com/abseil/abseil-cpp"),
      part("ANGLE", "BSD-3-Clause", "https://chromium.googlesource.com/angle/angle"),
      part("BoringSSL in Chromium", "Apache-2.0 AND OpenSSL AND ISC AND MIT", "https://boringssl.googlesource.com/boringssl/"),
      part("FFmpeg", "LGPL-2.1-or-later", "https://chromium.googlesource.com/chromium/third_party/ffmpeg"),
      part("FreeType", "FTL", "https://gitlab.freedesktop.org/freetype/freetype"),
      part("HarfBuzz", "MIT-Modern-Variant", "https://github.com/harfbuzz/harfbuzz"),
      part("ICU in Chromium", "Unicode-3.0", "https://github.com/unicode-org/icu"),
      part("libxml2 and libxslt", "MIT", "https://gitlab.gnome.org/GNOME/libxml2"),
      part("Opus", "BSD-3-Clause", "https://gitlab.xiph.org/xiph/opus"),
      part("Skia", "BSD-3-Clause", "https://skia.googlesource.com/skia"),
      part("SQLite", "blessing", "https://www.sqlite.org/"),
      part("WebRTC", "BSD-3-Clause", "https://webrtc.googlesource.com/src"),
      part("zlib in Chromium", "Zlib", "https://zlib.net/"),
    ],
  },
];
