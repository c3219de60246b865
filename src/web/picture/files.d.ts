/** Types of imported binary files: the import gives a path. */
declare module "*.wasm" {
  const path: string;
  export default path;
}
declare module "*.ttf" {
  const path: string;
  export default path;
}
declare module "*.ico" {
  const path: string;
  export default path;
}
declare module "*.png" {
  const path: string;
  export default path;
}
