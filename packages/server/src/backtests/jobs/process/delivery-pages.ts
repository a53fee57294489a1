import type { PastDeliveries, PastRequest } from '../../delivery-runs.ts'
import type { PackedDelivery } from '../stored-deliveries.ts'
import { Pages } from './pages.ts'

/** The deliveries of a backtest, packed in pages. */
export class DeliveryPages implements PastDeliveries {
  readonly times: Float64Array
  readonly usesPrice: boolean
  readonly digest: string
  readonly #pages: Pages<PackedDelivery>

  /** @throws {Error} if the pages have another number of deliveries: some of them did not arrive */
  constructor(
    pages: readonly Uint8Array[],
    { usesPrice, digest, count }: { usesPrice: boolean; digest: string; count: number },
  ) {
    this.usesPrice = usesPrice
    this.digest = digest
    this.#pages = new Pages(pages)
    if (this.#pages.length !== count) throw new Error(`${this.#pages.length} of ${count} deliveries arrived.`)
    this.times = Float64Array.from(this.#pages, ([atMs]) => atMs)
  }

  requestOf(index: number): PastRequest {
    const [, data, headers, ip] = this.#pages.at(index)
    return { data, headers, ip }
  }
}
