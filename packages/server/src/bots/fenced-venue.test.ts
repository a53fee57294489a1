import assert from 'node:assert/strict'
import { withDatabase } from '../../test/databases.ts'
import { buyOf } from '../../test/live-services.ts'
import { promptVenue } from '../../test/signal-processor.ts'
import { Node } from '../db/node.ts'
import { fencedVenue } from './fenced-venue.ts'
import { Inbox } from './inbox.ts'

withDatabase(
  'a node that is suspended while an order is prepared does not send it',
  async (place, { mock }) => {
    const database = await place.open()
    const node = new Node(database, { roles: ['worker'] })
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    await node.beat()
    const { venue } = promptVenue()
    const answers: (string | null | undefined)[] = []
    const preparing = {
      ...venue,
      place: async (...[order, whyNotNow]: Parameters<typeof venue.place>) => {
        answers.push(whyNotNow?.())
        mock.timers.setTime(Date.now() + 7_000)
        answers.push(whyNotNow?.())
        return venue.place(order)
      },
    }
    const fenced = fencedVenue(preparing, { inbox: new Inbox(database, node), node, botId: 1 })
    await fenced.place(buyOf('BTC/USDT:USDT'))
    assert.deepEqual(answers, [null, 'The order was not sent, because this node cannot reach the database.'])
  },
)
