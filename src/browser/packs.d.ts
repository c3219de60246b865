/** Brotli packs are imported as files: what comes back is a path. */
declare module "*.br" {
  const path: string;
  export default path;
}
