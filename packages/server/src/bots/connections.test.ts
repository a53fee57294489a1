/** What a bot takes from its exchange connection, and the list of the bots that have one. */
import assert from 'node:assert/strict'
import { addConnection, botsPath, makeBot, withBotService } from '../../test/bots.ts'
import { expect } from '../../test/reaction.ts'

withBotService(
  'without an exchange, a bot trades on that of its connection, on paper until its owner says otherwise',
  async (account, service) => {
    const connection_id = await addConnection(service, account, { exchangeId: 3 })
    const made = await expect(201, account.api('POST', botsPath, { connection_id }))
    assert.deepEqual([made.exchange_id, made.connection_id, made.mode], [3, connection_id, 'paper'])
    assert.match(made.note, /trades on paper.*set its `mode` to `live`/)
    const own = `${botsPath}/${made.id}`
    assert.equal((await expect(200, account.api('GET', own))).note, undefined)
    for (const mode of ['paper', 'live']) {
      const { note } = await expect(201, account.api('POST', botsPath, { connection_id, mode }))
      assert.equal(note, undefined, mode)
    }
    const none = await expect(400, account.api('POST', botsPath, {}))
    assert.match(none.error, /body\.exchange_id is required, unless connection_id is given/)

    const other = await addConnection(service, account)
    const moved = await expect(200, account.api('PUT', own, { connection_id: other }))
    assert.deepEqual([moved.exchange_id, moved.connection_id], [2, other])
    const wrong = await expect(400, account.api('PUT', own, { connection_id, exchange_id: 2 }))
    assert.match(wrong.error, /must be for the exchange of the bot/)
    const without = await expect(200, account.api('PUT', own, { connection_id: null }))
    assert.deepEqual([without.exchange_id, without.connection_id], [2, null])
  },
)

withBotService("another user's connection means no exchange", async (account, service) => {
  const stranger = await service.account()
  const theirs = await addConnection(service, stranger)
  const bot = await makeBot(service, account)
  const tried = (connection_id: number) => [
    account.api('POST', botsPath, { connection_id }),
    account.api('PUT', bot.own, { connection_id }),
  ]
  for (const answer of [...tried(theirs), ...tried(999_999)]) {
    const { error } = await expect(400, answer)
    assert.match(error, /body\.connection_id must be an exchange connection of yours, got \d+\.$/)
  }
})
