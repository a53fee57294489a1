import type { PastDeliveries, PastRequest } from '../../delivery-runs.ts'
import { unpackJson } from '../packed.ts'
import type { PackedDelivery } from '../stored-deliveries.ts'

/** The deliveries of a backtest, packed in pages. Only the page that was read last is unpacked. */
export class DeliveryPages implements PastDeliveries {
  readonly times: Float64Array
  readonly usesPrice: boolean
  readonly digest: string
  readonly #pages: readonly Uint8Array[]
  /** The number of the first delivery of each page. */
  readonly #firsts: number[] = []
  #read: { page: number; rows: PackedDelivery[] } = { page: -1, rows: [] }

  /** @throws {Error} if the pages have another number of deliveries: some of them did not arrive */
  constructor(
    pages: readonly Uint8Array[],
    { usesPrice, digest, count }: { usesPrice: boolean; digest: string; count: number },
  ) {
    this.#pages = pages
    this.usesPrice = usesPrice
    this.digest = digest
    const times: number[] = []
    for (const page of pages.keys()) {
      this.#firsts.push(times.length)
      for (const [atMs] of this.#rowsOf(page)) times.push(atMs)
    }
    if (times.length !== count) throw new Error(`${times.length} of ${count} deliveries arrived.`)
    this.times = Float64Array.from(times)
  }

  requestOf(index: number): PastRequest {
    const page = this.#firsts.findLastIndex((first) => first <= index)
    const [, data, headers, ip] = this.#rowsOf(page)[index - this.#firsts[page]!]!
    return { data, headers, ip }
  }

  #rowsOf(page: number): PackedDelivery[] {
    if (this.#read.page !== page) {
      this.#read = { page, rows: unpackJson(this.#pages[page]!) as PackedDelivery[] }
    }
    return this.#read.rows
  }
}
