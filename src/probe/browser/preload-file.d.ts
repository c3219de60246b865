/** Type of an imported gzip file: the import gives a path. */
declare module "*.gz" {
  const path: string;
  export default path;
}
