/** What a data folder has only through the world outside: a live position that paid funding, and a person of Telegram. */
import type { Client } from '../client.ts'
import { makeConnection, type TestExchange } from '../connection.ts'
import { longPatienceMs } from '../patience.ts'
import { expect } from '../reaction.ts'
import type { TelegramStandIn } from '../telegram.ts'
import { until } from '../until.ts'
import { browser } from '../users.ts'

const futures = 3
/** The service compares a live bot with its account once a minute, and then reads what it paid. */
const comparedMs = 60_000 + longPatienceMs

/** A live bot on futures opens and closes a position, which pays funding in between. */
export async function payFunding(client: Client, exchange: TestExchange): Promise<void> {
  const { trading } = exchange.standIn
  trading.setBalance('USDT', '100000')
  await expect(200, client.api('PUT', '/api/v2/trading', { live_trading: true }))
  const connection = await makeConnection(client, exchange, { exchange_id: futures, name: 'Futures' })
  const webhook = await expect(201, client.api('POST', '/api/v2/webhook/bot', { name: 'Live signals' }))
  const settings = { name: 'Live', mode: 'live', webhook_id: webhook.id, connection_id: connection.id }
  const make = client.api('POST', '/api/v2/bot/signal/cex', { ...settings, exchange_id: futures })
  const { id } = await expect(201, make)
  const status = (status: string) =>
    expect(200, client.api('PUT', `/api/v2/bot/signal/cex/${id}/status`, { status }))
  await status('ACTIVE')
  const send = async (side: string, fills: number) => {
    await expect(202, client.send('POST', webhook.url, { body: { symbol: 'BTCUSDT', side } }))
    await until(`fill ${fills} of the live bot`, async () => {
      const { items } = await expect(200, client.api('GET', `/api/v2/fill?bot_id=${id}&limit=50&page=1`))
      return items.length === fills
    })
  }
  await send('LONG', 1)
  trading.payFunding('BTC/USDT:USDT', '-0.25')
  await send('EXIT', 2)
  const paid = async () => (await expect(200, client.api('GET', '/api/v2/payment'))).length === 1
  await until('the payment', paid, comparedMs)
  await status('INACTIVE')
}

/** A person of Telegram opens the link that the administrator has made, and may look at the account. */
export async function linkPerson(
  client: Client,
  { url, password }: { url: string; password: string },
  telegram: TelegramStandIn,
): Promise<void> {
  const body = { email: 'admin@example.com', password }
  const signedIn = await client.send('POST', '/api/v2/user/session', { body, headers: { origin: url } })
  const [cookie] = signedIn.headers.get('set-cookie')!.split(';')
  const { api } = browser(Object.assign(client, { url }), cookie!)
  let link = ''
  await until('the bot of Telegram', async () => {
    const made = await api('POST', '/api/v2/chat/link', { scope: 'read' })
    link = made.body.url ?? ''
    return made.status === 201
  })
  const person = 4_711
  telegram.say(person, `/start ${new URL(link).searchParams.get('start')}`)
  await telegram.heard(person)
}
