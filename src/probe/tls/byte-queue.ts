/** Bytes that arrive in pieces and are looked at from the front; pieces are put together only once there are enough of them. */
export class ByteQueue {
  #pieces: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  /** The first `count` bytes, which stay; null while there are fewer. */
  peek(count: number): Buffer | null {
    if (this.#length < count) return null;
    if ((this.#pieces[0]?.length ?? 0) < count) this.#pieces = [Buffer.concat(this.#pieces)];
    return (this.#pieces[0] ?? Buffer.alloc(0)).subarray(0, count);
  }

  /** As `peek`, but the bytes are gone afterwards. */
  take(count: number): Buffer | null {
    const bytes = this.peek(count);
    const first = this.#pieces[0];
    if (bytes === null || first === undefined) return bytes;
    if (first.length === count) this.#pieces.shift();
    else this.#pieces[0] = first.subarray(count);
    this.#length -= count;
    return bytes;
  }
}
