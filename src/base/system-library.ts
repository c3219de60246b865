/** Name of the C library for `dlopen`. */
export const systemLibrary = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6";
