/**
 * Length-prefixed frames over a byte stream: 4 bytes (big endian) of length, then that many bytes of UTF-8 JSON.
 *
 * Node's own `fork` channel is not suitable: one malformed line of a child raises an uncaught exception in the parent,
 * and the child can send messages of any size.
 */

const headerBytes = 4

/** Puts all texts into one buffer, so that the messages of one turn of the event loop are one write. */
export function encodeFrames(texts: readonly string[]): Buffer {
  let total = 0
  const lengths = texts.map((text) => {
    const length = Buffer.byteLength(text)
    total += headerBytes + length
    return length
  })
  const buffer = Buffer.allocUnsafe(total)
  let offset = 0
  texts.forEach((text, index) => {
    offset = buffer.writeUInt32BE(lengths[index]!, offset)
    offset += buffer.write(text, offset)
  })
  return buffer
}

/** Splits a byte stream into frames. Throws a RangeError as soon as a frame announces more than `byteLimit`. */
export class FrameReader {
  readonly #byteLimit: number
  #parts: Buffer[] = []
  #size = 0

  constructor(byteLimit: number) {
    this.#byteLimit = byteLimit
  }

  /** Takes a chunk and returns the texts of all frames that it completes, in order. */
  read(chunk: Buffer): string[] {
    this.#parts.push(chunk)
    this.#size += chunk.length
    const texts: string[] = []
    while (this.#size >= headerBytes) {
      const length = this.#joined(headerBytes).readUInt32BE(0)
      if (length > this.#byteLimit) throw new RangeError(`a frame of ${length} bytes is over the limit`)
      const end = headerBytes + length
      if (this.#size < end) break
      const head = this.#joined(end)
      texts.push(head.toString('utf8', headerBytes, end))
      this.#parts[0] = head.subarray(end)
      this.#size -= end
    }
    return texts
  }

  /** The first part, with at least `bytes` bytes. Parts are joined once for each frame, not for each chunk. */
  #joined(bytes: number): Buffer {
    if (this.#parts[0]!.length < bytes) this.#parts = [Buffer.concat(this.#parts)]
    return this.#parts[0]!
  }
}

/** Collects texts and writes them as one buffer at the end of this turn of the event loop. */
export class FrameWriter {
  readonly #write: (frames: Buffer) => void
  #texts: string[] = []

  constructor(write: (frames: Buffer) => void) {
    this.#write = write
  }

  send(message: object): void {
    if (this.#texts.push(JSON.stringify(message)) === 1) setImmediate(() => this.flush())
  }

  flush(): void {
    const texts = this.#texts
    if (texts.length === 0) return
    this.#texts = []
    this.#write(encodeFrames(texts))
  }
}
