import { sql } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import { Outage } from '../base/outage.ts'
import { answerOf, type TaggedAnswer } from '../base/tagged-answer.ts'
import type { Database } from '../db/database.ts'
import { exchangeSettings } from '../db/schema.ts'
import { type Entry, readEntries, simulatedMarket } from './entries.ts'
import type { ExchangeType } from './facts/ids.ts'
import { type RateExchangeName, rateExchanges } from './facts/rate-exchanges.ts'

/** An exchange as responses show it. */
export type Exchange = {
  id: number
  type: ExchangeType
  name: string
  service: string
  enabled: boolean
  hasExchangeRate: boolean
  extra: boolean
}

/** An exchange as the rest of the service sees it: with its lower-case identifier and its chain. */
export type CatalogueExchange = Entry & { enabled: boolean }

/** Filters of a list; a missing one filters nothing. With `chainId`, only the DEXes on that chain remain. */
export type Selection = {
  type?: ExchangeType
  enabled?: boolean | undefined
  hasExchangeRate?: boolean
  chainId?: string | undefined
}

export type CatalogueOptions = {
  /** Called once when the settings cannot be read in the background. The last ones that were read stay in force. */
  onError: (error: unknown) => void
  /** How often the settings are read without a notification. */
  refreshMs?: number
}

const channel = 'exchange_settings'

/** A notification can get lost with a connection. Every node reads the settings this often anyway. */
const defaultRefreshMs = 30_000

const emptyList = answerOf([])

/** Reads the settings of this installation and keeps them current until the catalogue is closed. */
export async function createCatalogue(database: Database, options: CatalogueOptions): Promise<Catalogue> {
  const catalogue = new Catalogue(database, options)
  await catalogue.start()
  return catalogue
}

/**
 * All exchanges that the service knows, and which of them this installation uses. The response for each selection is
 * built once and kept until a setting changes.
 */
export class Catalogue {
  #database: Database
  #options: CatalogueOptions
  #entries = readEntries()
  #chains = new Set(this.#entries.map(({ chainId }) => chainId))
  #exchanges: CatalogueExchange[] = []
  #byId = new Map<number, CatalogueExchange>()
  #responses = new Map<string, TaggedAnswer>()
  #lastRead = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(database: Database, options: CatalogueOptions) {
    this.#database = database
    this.#options = options
  }

  /** Listens before it reads, so that it misses no change in between. */
  async start(): Promise<void> {
    const outage = new Outage()
    const refresh = () => {
      if (this.#closed) return
      this.refresh().then(
        () => outage.worked(),
        (error) => outage.failed() && this.#options.onError(error),
      )
    }
    await this.#database.listen(channel, refresh)
    await this.refresh()
    this.#timer = setInterval(refresh, this.#options.refreshMs ?? defaultRefreshMs).unref()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#lastRead
  }

  find(id: number): CatalogueExchange | undefined {
    return this.#byId.get(id)
  }

  /** Finds an exchange by its lower-case identifier, such as `binance`, and service. Not for DEXes, which are on many chains. */
  named(exchange: string, service: string): CatalogueExchange | undefined {
    return this.#exchanges.find(
      (each) => each.exchange === exchange && each.service === service && each.type !== 'DEX',
    )
  }

  /** The services of an exchange with this lower-case identifier, `spot` first. Not those of DEXes. */
  servicesOf(exchange: string): CatalogueExchange[] {
    return this.#exchanges
      .filter((each) => each.exchange === exchange && each.type !== 'DEX')
      .sort((one, other) => Number(other.service === 'spot') - Number(one.service === 'spot'))
  }

  /** The simulated market, which every installation has. */
  get simulated(): CatalogueExchange {
    const isSimulated = ({ type, exchange }: CatalogueExchange) =>
      type === simulatedMarket.type && exchange === simulatedMarket.exchange
    return this.#exchanges.find(isSimulated)!
  }

  /** The services behind a member of `$.Exchange`, in order of id. */
  withRates(name: RateExchangeName): CatalogueExchange[] {
    const exchanges: readonly string[] = rateExchanges[name]
    return this.#exchanges.filter(({ type, exchange }) => type === 'CEX' && exchanges.includes(exchange))
  }

  /** The selected exchanges in order of id, as a JSON array of `Exchange`. */
  list(selection: Selection): TaggedAnswer {
    const { type, enabled, hasExchangeRate, chainId } = selection
    // Callers choose the chain, so only chains that exist may take memory.
    if (chainId !== undefined && !this.#chains.has(chainId)) return emptyList
    const key = `${type} ${enabled} ${hasExchangeRate} ${chainId}`
    let response = this.#responses.get(key)
    if (response === undefined) {
      response = answerOf(this.#exchanges.filter((exchange) => isSelected(exchange, selection)).map(toWire))
      this.#responses.set(key, response)
    }
    return response
  }

  /**
   * Enables or disables an exchange for this installation: on this node before it resolves, on other nodes as soon as
   * the notification reaches them.
   * @throws {AppError} `resource_not_found` for an id that is not in the catalogue
   */
  async setEnabled(id: number, enabled: boolean): Promise<Exchange> {
    if (!this.#byId.has(id)) throw notFound('exchange', id)
    await this.#database.db
      .insert(exchangeSettings)
      .values({ exchangeId: id, enabled })
      .onConflictDoUpdate({
        target: exchangeSettings.exchangeId,
        set: { enabled, updatedAt: sql`now()` },
      })
    await this.refresh()
    await this.#database.notify(channel, '')
    return { ...toWire(this.#byId.get(id)!), enabled }
  }

  /** Reads the settings. Reads run one after another, so that an older one never overwrites a newer one. */
  refresh(): Promise<void> {
    const read = this.#lastRead.then(() => this.#read())
    this.#lastRead = read.catch(() => {})
    return read
  }

  async #read(): Promise<void> {
    const rows = await this.#database.db.select().from(exchangeSettings)
    const settings = new Map(rows.map(({ exchangeId, enabled }) => [exchangeId, enabled]))
    const isEnabled = ({ id, enabledByDefault }: Entry) => settings.get(id) ?? enabledByDefault
    const isFirst = this.#exchanges.length === 0
    if (!isFirst && this.#exchanges.every((exchange) => exchange.enabled === isEnabled(exchange))) return
    this.#exchanges = this.#entries.map((entry) => ({ ...entry, enabled: isEnabled(entry) }))
    this.#byId = new Map(this.#exchanges.map((exchange) => [exchange.id, exchange]))
    this.#responses = new Map()
  }
}

function isSelected(
  exchange: CatalogueExchange,
  { type, enabled, hasExchangeRate, chainId }: Selection,
): boolean {
  return (
    (type === undefined || exchange.type === type) &&
    (enabled === undefined || exchange.enabled === enabled) &&
    (hasExchangeRate === undefined || exchange.hasExchangeRate === hasExchangeRate) &&
    (chainId === undefined || exchange.chainId === chainId)
  )
}

/** As responses show it. */
export function toWire({
  id,
  type,
  name,
  service,
  enabled,
  hasExchangeRate,
  extra,
}: CatalogueExchange): Exchange {
  return { id, type, name, service, enabled, hasExchangeRate, extra }
}
