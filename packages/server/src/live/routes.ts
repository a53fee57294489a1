import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, Id } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { type Kind, kinds } from './changes.ts'
import type { Filter } from './filter.ts'
import type { PricedSymbol } from './prices.ts'
import type { LiveStreams } from './streams.ts'

const Query = Type.Object({
  kind: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: `The kinds of events to send, separated by commas: ${kinds.join(', ')}. Default: all.`,
      examples: ['run,signal'],
    }),
  ),
  strategy_id: Type.Optional({ ...Id, description: 'Sends only events of this strategy.' }),
  webhook_id: Type.Optional({
    ...Id,
    description:
      'Sends only events of the data or bot webhook with this id. The two kinds count their ids separately, so this may be one of each.',
  }),
  data_webhook_id: Type.Optional({ ...Id, description: 'Sends only events of this data webhook.' }),
  bot_webhook_id: Type.Optional({ ...Id, description: 'Sends only events of this bot webhook.' }),
  bot_id: Type.Optional({ ...Id, description: 'Sends only events of this bot.' }),
  run_id: Type.Optional({ ...Id, description: 'Sends only events of this run.' }),
  symbols: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      description:
        'Also sends the prices of these symbols, at most four a second for each: `exchange_id:symbol`, separated by commas, at most 20.',
      examples: ['3:BTC/USDT,3:ETH/USDT'],
    }),
  ),
})

const Headers = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The id of the last event that you have received: the stream goes on after it.',
    }),
  ),
})

const mostSymbols = 20

const description = `The response does not end. It has the media type \`text/event-stream\` (server-sent events): each event has a kind (\`event\`), an id (\`id\`) and one line of JSON (\`data\`), which is the record as its GET shows it. The first of them comes when a record is stored or changed after the response has begun.

\`resync\` says that events may be missing, and \`reason\` why: read the records that you show again. [docs/live.md](https://github.com/tickwright/tickwright/blob/main/docs/live.md) describes all kinds.

A comment comes every 15 seconds, so that proxies keep the connection. The stream ends when the session, the API key or the user ends, and when the service stops.`

const example = `id: 3f2a90c1.42
event: run
data: {"id":7,"strategy_id":3,"trigger":"webhook","status":"SUCCEEDED"}

`

/** The route of live streams. */
export function liveRoutes(streams: LiveStreams): Routes {
  return (scope) => {
    endStreamsFirst(scope, streams)
    openStream(scope, streams)
  }
}

/** Streams never end on their own, so a service that stops would wait for them. */
function endStreamsFirst(scope: App, streams: LiveStreams): void {
  scope.addHook('preClose', async () => streams.close())
}

function openStream(scope: App, streams: LiveStreams): void {
  scope.get(
    '/live',
    {
      // A HEAD request would open a stream that nobody reads.
      exposeHeadRoute: false,
      schema: {
        tags: ['Live'],
        security: signedRequest,
        summary: 'Follow what happens, as a stream of events',
        description,
        querystring: Query,
        headers: Headers,
        response: {
          200: {
            description: 'Events, until one side ends the stream.',
            content: { 'text/event-stream': { schema: Type.String({ examples: [example] }) } },
          },
          ...errorResponses(400, 401, 429, 500, 503),
        },
      },
    },
    async ({ principal, query, headers }, reply) => {
      const lastId = headers['last-event-id']
      const symbols = query.symbols === undefined ? [] : readSymbols(query.symbols)
      const stream = await streams.open(principal, filterOf(query), { lastId, symbols })
      return reply
        .headers({
          'content-type': 'text/event-stream',
          'cache-control': 'no-cache, no-transform',
          // nginx would collect the events before it passes them on.
          'x-accel-buffering': 'no',
        })
        .send(stream as never)
    },
  )
}

function filterOf(query: Type.Static<typeof Query>): Filter {
  const { kind, strategy_id: strategyId, webhook_id: webhookId, bot_id: botId, run_id: runId } = query
  const { data_webhook_id: dataWebhookId, bot_webhook_id: botWebhookId } = query
  return {
    ...given({ strategyId, webhookId, dataWebhookId, botWebhookId, botId, runId }),
    ...(kind === undefined ? {} : { kinds: readKinds(kind) }),
  }
}

function readKinds(text: string): ReadonlySet<Kind> {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isKind(name))
  if (unknown !== undefined) {
    const message = `must be a list of these, separated by commas: ${kinds.join(', ')}`
    throw new AppError('request_invalid', `Invalid request: querystring.kind ${message}.`, {
      details: [{ field: 'querystring.kind', message: `${message}. "${unknown}" is none of them` }],
    })
  }
  return new Set(names.filter(isKind))
}

/** A symbol may contain a colon itself. */
function readSymbols(text: string): PricedSymbol[] {
  const parts = text.split(',')
  if (parts.length > mostSymbols) {
    throw symbolsInvalid(`must have at most ${mostSymbols} symbols, not ${parts.length}`)
  }
  return parts.map((part) => {
    const [, id, symbol] = /^\s*(\d{1,15}):(.{1,64})$/u.exec(part) ?? []
    if (id === undefined || symbol === undefined || symbol.trim() === '') {
      throw symbolsInvalid('must be a list such as "3:BTC/USDT,3:ETH/USDT"')
    }
    return { exchangeId: Number(id), symbol: symbol.trim() }
  })
}

function symbolsInvalid(message: string): AppError {
  return new AppError('request_invalid', `Invalid request: querystring.symbols ${message}.`, {
    details: [{ field: 'querystring.symbols', message }],
  })
}

function isKind(name: string): name is Kind {
  return (kinds as readonly string[]).includes(name)
}
