/** Queue of received chunks, which are joined only when a read needs several of them. */
export class ByteQueue {
  #chunks: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  /** The first `count` bytes, which stay in the queue; null while there are fewer. */
  peek(count: number): Buffer | null {
    if (this.#length < count) return null;
    if ((this.#chunks[0]?.length ?? 0) < count) this.#chunks = [Buffer.concat(this.#chunks)];
    return (this.#chunks[0] ?? Buffer.alloc(0)).subarray(0, count);
  }

  take(count: number): Buffer | null {
    const bytes = this.peek(count);
    const first = this.#chunks[0];
    if (bytes === null || first === undefined) return bytes;
    if (first.length === count) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(count);
    this.#length -= count;
    return bytes;
  }
}
