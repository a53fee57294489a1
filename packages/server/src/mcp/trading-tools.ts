import type { Exchange } from '@tickwright/client'
import { Type } from 'typebox'
import { given } from '../base/given.ts'
import { ToolRefusal } from './api.ts'
import { defaultPageLimit, omit, pageFrom, pageIn, pageLimit, pageOf, pick } from './results.ts'
import { Id, kinds, oneOf, paging, readingTool, Since, SymbolName, writingTool } from './tool.ts'

const botPath = '/api/v2/bot/signal/cex'

const listBots = readingTool({
  name: 'list_bots',
  description: 'List your bots, which trade the signals of a bot webhook. demo: live without real money.',
  input: paging,
  run: (page, { api }) =>
    pageOf(
      page,
      (window) => api(`GET ${botPath}?{query}`, window),
      (bot) =>
        pick(bot, [
          ...(['id', 'name', 'status', 'mode', 'demo', 'webhook_id', 'exchange_id', 'symbol'] as const),
          ...(['amount', 'amount_in', 'amount_unit', 'amount_currency'] as const),
        ]),
    ),
})

const getBot = readingTool({
  name: 'get_bot',
  description: 'Read a bot with its settings, balance, equity and open positions.',
  input: { id: Id },
  run: async ({ id }, { api }) => ({ value: omit(await api(`GET ${botPath}/{id}`, id)) }),
})

const listBotSignals = readingTool({
  name: 'list_bot_signals',
  description: 'List what a bot did with each signal, and why.',
  input: {
    bot_id: Id,
    symbol: SymbolName,
    status: Type.Optional(
      oneOf(['DELAYED', 'QUEUED', 'WORKING', 'CLOSING', 'WAITING', 'DONE', 'IGNORED', 'REFUSED', 'FAILED']),
    ),
    since: Since,
    ...paging,
  },
  run: ({ bot_id, symbol, status, since, ...page }, { api }) =>
    pageOf(
      page,
      (window) => api(`GET ${botPath}/{id}/signals?{query}`, bot_id, { symbol, status, since, ...window }),
      (item) => omit(item, ['bot_id']),
    ),
})

const getReconciliation = readingTool({
  name: 'get_reconciliation',
  description: 'Read how the books of a live bot compare with its account, and what was done.',
  input: { bot_id: Id, ...paging },
  run: async ({ bot_id, ...page }, { api }) => ({
    value: await api(`GET ${botPath}/{id}/reconciliation?{query}`, bot_id, page),
  }),
})

const listPositions = readingTool({
  name: 'list_positions',
  description: 'List open positions of your bots; with all, closed ones too.',
  input: {
    bot_id: Type.Optional(Id),
    symbol: SymbolName,
    all: Type.Optional(Type.Boolean()),
    ...paging,
  },
  run: ({ bot_id, symbol, all, ...page }, { api }) =>
    pageOf(
      page,
      (window) => api('GET /api/v2/position?{query}', { bot_id, symbol, all, ...window }),
      (position) => omit(position),
    ),
})

const listOrders = readingTool({
  name: 'list_orders',
  description: 'List the orders of your bots.',
  input: {
    bot_id: Type.Optional(Id),
    symbol: SymbolName,
    status: Type.Optional(oneOf(['PLANNED', 'OPEN', 'UNKNOWN', 'FILLED', 'CANCELED', 'REJECTED'])),
    since: Since,
    ...paging,
  },
  run: ({ bot_id, symbol, status, since, ...page }, { api }) =>
    pageOf(
      page,
      (window) => api('GET /api/v2/order?{query}', { bot_id, symbol, status, since, ...window }),
      (order) => omit(order, ['client_order_id', 'updated_at']),
    ),
})

const listTrades = readingTool({
  name: 'list_trades',
  description:
    'List the trades of your bots with profit and costs, newest first. before takes next of the last answer.',
  input: {
    bot_id: Type.Optional(Id),
    symbol: SymbolName,
    before: Type.Optional(Id),
    limit: paging.limit,
  },
  run: async ({ limit = defaultPageLimit, ...query }, { api }) => {
    const page = await api('GET /api/v2/trade?{query}', { ...query, limit })
    return {
      value: {
        items: page.items.map((trade) => omit(trade, ['entries', 'exits'])),
        next: page.next,
      },
    }
  },
})

const getStats = readingTool({
  name: 'get_stats',
  description:
    'Read profit, drawdown, win rate and months of a bot; without bot_id, of all bots or of the trades of a strategy.',
  input: { bot_id: Type.Optional(Id), strategy_id: Type.Optional(Id), since: Since, until: Since },
  run: async ({ bot_id, strategy_id, ...span }, { api }) => {
    if (bot_id !== undefined) {
      if (strategy_id !== undefined) throw new ToolRefusal('Pass bot_id or strategy_id, not both.')
      return { value: omit(await api(`GET ${botPath}/{id}/stats?{query}`, bot_id, span), ['days']) }
    }
    const { groups, ...rest } = await api('GET /api/v2/stats?{query}', { strategy_id, ...span })
    return { value: { ...omit(rest), groups: groups.map((group) => omit(group, ['days'])) } }
  },
})

const listExchanges = readingTool({
  name: 'list_exchanges',
  description: 'List enabled exchanges with their ids; search matches part of a name.',
  input: {
    search: Type.Optional(Type.String({ maxLength: 100 })),
    type: Type.Optional(oneOf(['CEX', 'DEX', 'PREDICTION', 'SIM'])),
    ...paging,
  },
  foreign: false,
  run: async ({ search = '', type, ...page }, { api }) => {
    const all = await api('GET /api/v2/exchange?{query}', { enabled: true })
    const fits = (exchange: Exchange) =>
      exchange.name.toLowerCase().includes(search.toLowerCase()) &&
      (type === undefined || exchange.type === type)
    return pageFrom(
      all
        .filter(fits)
        .map((exchange) => pick(exchange, ['id', 'type', 'name', 'service', 'hasExchangeRate'])),
      page,
    )
  },
})

const getAccount = readingTool({
  name: 'get_account',
  description: 'Read your user, what this key may do, the trading switch and the AI connections.',
  input: {},
  run: async (_input, { api, agent }) => {
    const [user, trading, connections] = await Promise.all([
      api('GET /api/v2/user/me'),
      api('GET /api/v2/trading'),
      api('GET /api/v2/api/llm?{query}', { limit: pageLimit }),
    ])
    return {
      value: {
        user: pick(user, ['id', 'email', 'name', 'role']),
        key: { id: agent.apiKeyId, mcp: agent.access },
        trading,
        ai_connections: pageIn(connections).items.map((connection) =>
          pick(connection, ['id', 'name', 'service_id', 'model']),
        ),
      },
    }
  },
})

const switched = {
  strategy: kinds.strategy.path,
  reaction: kinds.reaction.path,
  ai_reaction: kinds.ai_reaction.path,
  ai_session: kinds.ai_session.path,
  bot: botPath,
  data_webhook: '/api/v2/webhook/data',
  bot_webhook: '/api/v2/webhook/bot',
} as const

const setStatus = writingTool({
  name: 'set_status',
  description:
    'Activate or deactivate something. ACTIVE can lead to orders, with real money if a bot is live. INACTIVE closes no position.',
  input: {
    what: oneOf(Object.keys(switched) as (keyof typeof switched)[]),
    id: Id,
    status: oneOf(['ACTIVE', 'INACTIVE']),
  },
  hints: { destructiveHint: true, idempotentHint: true },
  run: async ({ what, id, status }, { api }) => ({
    value: await api(`PUT ${switched[what]}/{id}/status {body}`, id, { status }),
  }),
})

const closePosition = writingTool({
  name: 'close_position',
  description: 'Close the position of a bot in one symbol, or all. Real money if the bot is live.',
  input: { bot_id: Id, symbol: SymbolName },
  hints: { destructiveHint: true, idempotentHint: true },
  run: async ({ bot_id, ...body }, { api }) => ({
    value: await api(`POST ${botPath}/{id}/close {body}`, bot_id, body),
  }),
})

const panic = writingTool({
  name: 'panic',
  description: 'Switch off all bots and close all their positions. Real money if a bot is live.',
  input: {},
  hints: { destructiveHint: true, idempotentHint: true },
  run: async (_input, { api }) => ({ value: await api('POST /api/v2/trading/panic') }),
})

const decideDifference = writingTool({
  name: 'decide_difference',
  description:
    'Decide about a difference that get_reconciliation shows. adopt: the books take the number of the account; ignore: they keep theirs. Ask the user first.',
  input: { bot_id: Id, symbol: Type.String(), decision: oneOf(['adopt', 'ignore']) },
  hints: { destructiveHint: true, idempotentHint: true },
  run: async ({ bot_id, symbol, decision }, { api }) => ({
    value: await api(`POST ${botPath}/{id}/reconciliation/${decision} {body}`, bot_id, { symbol }),
  }),
})

const haltTrading = writingTool({
  name: 'halt_trading',
  description: 'Stop orders of all users, or only openings. All read the reason. Only people end it.',
  input: { openings: Type.Optional(Type.Boolean()), reason: Type.Optional(Type.String()) },
  forAdministrators: true,
  hints: { destructiveHint: true, idempotentHint: true },
  run: async ({ openings = false, reason }, { api }) => {
    // What is halted already stays halted: only people may let closes go on.
    const isHalted = (await api('GET /api/v2/trading')).halted === true
    const halted = openings && !isHalted ? ('openings' as const) : true
    return { value: await api('PUT /api/v2/trading {body}', { halted, ...given({ reason }) }) }
  },
})

export const tradingTools = [
  listBots,
  getBot,
  listBotSignals,
  getReconciliation,
  listPositions,
  listOrders,
  listTrades,
  getStats,
  listExchanges,
  getAccount,
  setStatus,
  closePosition,
  panic,
  decideDifference,
  haltTrading,
]
