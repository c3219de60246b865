/** Types of imported Brotli files: the import gives a path. */
declare module "*.br" {
  const path: string;
  export default path;
}
