/** File with the notices of third parties in the compiled program, whose build replaces this module; null from source. */
export const noticesFile: string | null = null;
