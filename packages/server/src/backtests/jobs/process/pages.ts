import { unpackJson } from '../packed.ts'

/** Rows in packed pages. Only the page that was read last is unpacked. */
export class Pages<Row> {
  readonly #pages: readonly Uint8Array[]
  /** The number of the first row of each page, and at the end the number of all. */
  readonly #firsts: number[] = [0]
  #read: { page: number; rows: Row[] } = { page: -1, rows: [] }

  constructor(pages: readonly Uint8Array[]) {
    this.#pages = pages
    for (const page of pages.keys()) this.#firsts.push(this.length + this.#rowsOf(page).length)
  }

  get length(): number {
    return this.#firsts.at(-1)!
  }

  at(index: number): Row {
    const page = this.#firsts.findLastIndex((first) => first <= index)
    return this.#rowsOf(page)[index - this.#firsts[page]!]!
  }

  /** In their order. */
  *[Symbol.iterator](): Generator<Row> {
    for (const page of this.#pages.keys()) yield* this.#rowsOf(page)
  }

  #rowsOf(page: number): Row[] {
    if (this.#read.page !== page) this.#read = { page, rows: unpackJson(this.#pages[page]!) as Row[] }
    return this.#read.rows
  }
}
