/** Every operation of the API, with a name that can be guessed. Each verb has one meaning everywhere. */

/** The operations that strategies of all types have. Only their fields differ. */
const strategiesAt = <
  const Path extends
    | 'strategy/code'
    | 'strategy/llm-session'
    | 'strategy/reaction/code'
    | 'strategy/reaction/llm',
>(
  path: Path,
) => {
  const at = `/api/v2/${path}` as const
  return {
    /** All, one page, or those in a folder; without code and prompts. */
    list: `GET ${at}?{query}`,
    create: `POST ${at} {body}`,
    /** With its code or prompt, and its storage. */
    get: `GET ${at}/{id}`,
    /** Changes the given fields only. */
    update: `PUT ${at}/{id} {body}`,
    delete: `DELETE ${at}/{id}`,
    total: `GET ${at}/total`,
    duplicate: `POST ${at}/duplicate {body}`,
    setStatus: `PUT ${at}/{id}/status {body}`,
    /** Clears the last trigger, the storage, or the model's last response. */
    reset: `PUT ${at}/{id}/reset {body}`,
    clearStore: `DELETE ${at}/{id}/store`,
    /** Its runs, newest first. */
    runs: `GET ${at}/{id}/runs?{query}`,
    /** Everything for which saving this code or prompt would be refused. */
    check: `POST ${at}/check {body}`,
    /** Runs it once without consequences, with other code or another prompt if given. */
    test: `POST ${at}/{id}/test {body}`,
    /** One for each save that changed what it executes, newest first, without their content. */
    versions: `GET ${at}/{id}/versions?{query}`,
    /** A version with its content. */
    version: `GET ${at}/{id}/versions/{version}`,
    /** What differs between a version and the one before, or the one that `with` names. */
    compare: `GET ${at}/{id}/versions/{version}/diff?{query}`,
    /** Saves the content of a version again, as a new version. */
    restore: `POST ${at}/{id}/versions/{version}/restore {body}`,
    folders: {
      list: `GET ${at}/folder?{query}`,
      create: `POST ${at}/folder {body}`,
      get: `GET ${at}/folder/{id}`,
      update: `PUT ${at}/folder/{id} {body}`,
      delete: `DELETE ${at}/folder/{id}`,
      /** The strategies that are in no folder. */
      root: `GET ${at}/folder/root?{query}`,
    },
    /** Strategies that their users have published. */
    public: {
      list: `GET ${at}/public?{query}`,
      /** With its code or prompt. */
      get: `GET ${at}/public/{id}`,
    },
  } as const
}

/** The additional operation of both types with code. */
const codeAt = <const Path extends 'strategy/code' | 'strategy/reaction/code'>(path: Path) =>
  ({
    ...strategiesAt(path),
    /** Runs code that belongs to no strategy yet, once and without consequences. */
    testCode: `POST /api/v2/${path}/test {body}`,
  }) as const

/** The additional operations of both types that ask a model. */
const llmAt = <const Path extends 'strategy/llm-session' | 'strategy/reaction/llm'>(path: Path) => {
  const at = `/api/v2/${path}` as const
  return {
    ...strategiesAt(path),
    /** Asks a model with a prompt that belongs to no strategy yet, once and without consequences. */
    testPrompt: `POST ${at}/test {body}`,
    /** The first question of a strategy to its model, which is not asked. */
    preview: `POST ${at}/{id}/preview {body}`,
    /** The same with a prompt that belongs to no strategy yet. */
    previewPrompt: `POST ${at}/preview {body}`,
    /** How much of its budget it has spent today. */
    budget: `GET ${at}/{id}/budget`,
    /** How much each of them has spent today. */
    budgets: `GET ${at}/budget?{query}`,
  } as const
}

/** The additional operation of both types that a schedule triggers. */
const triggerAt = <const Path extends 'strategy/code' | 'strategy/llm-session'>(path: Path) =>
  ({
    /** Runs it now, with consequences. */
    trigger: `POST /api/v2/${path}/{id}/trigger`,
  }) as const

/** The operations that data webhooks and bot webhooks have. */
const webhooksAt = <const Path extends 'webhook/data' | 'webhook/bot'>(path: Path) => {
  const at = `/api/v2/${path}` as const
  return {
    list: `GET ${at}?{query}`,
    create: `POST ${at} {body}`,
    get: `GET ${at}/{id}`,
    /** Changes the given fields only. */
    update: `PUT ${at}/{id} {body}`,
    delete: `DELETE ${at}/{id}`,
    setStatus: `PUT ${at}/{id}/status {body}`,
    /** Gives it a new URL. The old one stops at once; the URLs of shares stay. */
    rotate: `POST ${at}/{id}/rotate`,
    /** The latest 100 posts that it refused, newest first, and why. */
    refused: `GET ${at}/{id}/refused?{query}`,
    /** The recipients of one of your webhooks. */
    shares: `GET ${at}/{id}/shares?{query}`,
    /** Shares a webhook: the user gets a URL of their own. */
    share: `POST ${at}/share/{id} {body}`,
    /** Revokes the share. */
    unshare: `DELETE ${at}/share/{id}?{query}`,
    /** The webhooks that others share with you. */
    shared: `GET ${at}/shared?{query}`,
    /** Your webhooks that you share with a user. */
    sharedWith: `GET ${at}/shared/with/{userId}?{query}`,
    /** The webhooks that a user shares with you. */
    sharedBy: `GET ${at}/shared/by/{userId}?{query}`,
  } as const
}

/** The operations that bots for prediction markets and for DEXes have. */
const storedBotsAt = <const Path extends 'bot/signal/prediction' | 'bot/signal/dex'>(path: Path) => {
  const at = `/api/v2/${path}` as const
  return {
    list: `GET ${at}?{query}`,
    create: `POST ${at} {body}`,
    get: `GET ${at}/{id}`,
    /** Changes the given fields only. */
    update: `PUT ${at}/{id} {body}`,
    delete: `DELETE ${at}/{id}`,
    total: `GET ${at}/total`,
    /** `ACTIVE` is refused: there is no venue yet. */
    setStatus: `PUT ${at}/{id}/status {body}`,
    folders: {
      list: `GET ${at}/folder?{query}`,
      create: `POST ${at}/folder {body}`,
      get: `GET ${at}/folder/{id}`,
      update: `PUT ${at}/folder/{id} {body}`,
      delete: `DELETE ${at}/folder/{id}`,
      /** The bots that are in no folder. */
      root: `GET ${at}/folder/root?{query}`,
    },
  } as const
}

export const namespaces = {
  /** The catalogue of exchanges. All its lists are in order of id. */
  exchanges: {
    /** All exchanges. `enabled` filters them by that field; `chainId` lists only the DEXes on that chain. */
    list: 'GET /api/v2/exchange?{query}',
    /** The enabled centralised exchanges. */
    cex: 'GET /api/v2/exchange/cex',
    /** The DEXes on a chain: an EIP-155 number as a string (`'1'`), or a name such as `solana`. */
    dex: 'GET /api/v2/exchange/dex/{chain}',
    /** The prediction markets. */
    prediction: 'GET /api/v2/exchange/prediction',
    /** One DEX, if it is on that chain. */
    dexOn: 'GET /api/v2/exchange/dex/{chain}/{id}',
    /** The enabled exchanges that supply exchange rates. */
    withExchangeRate: 'GET /api/v2/exchange/with-exchange-rate',
    /** Where it keeps the stops and targets of positions, and what acts while the service is off. */
    protection: 'GET /api/v2/exchange/{id}/protection',
    /** Enables or disables an exchange; for administrators. */
    update: 'PUT /api/v2/exchange/{id} {body}',
  },
  /** Market data of the exchanges, shared by all users. */
  market: {
    /** At most 1,000 candles, oldest first: the latest `count`, or those from `since` until `until`. */
    candles: 'GET /api/v2/market/candles?{query}',
    /** The markets of an exchange, in order of their symbols. */
    symbols: 'GET /api/v2/market/symbols?{query}',
    /** The current price of a symbol. */
    price: 'GET /api/v2/market/price?{query}',
    /** A market of a prediction exchange, by its slug. */
    prediction: 'GET /api/v2/market/prediction/{exchange}/{slug}',
  },
  /** Stored candles and funding rates: your own imports, and what was downloaded from exchanges for all. */
  candles: {
    list: 'GET /api/v2/candle?{query}',
    /** Makes an empty series of your own. */
    create: 'POST /api/v2/candle {body}',
    get: 'GET /api/v2/candle/{id}',
    delete: 'DELETE /api/v2/candle/{id}',
    /** Adds all rows of a CSV file to a series of yours, or none. */
    import: 'POST /api/v2/candle/{id}/import {body}',
    /** What a series has and lacks: its gaps, and candles that the exchange changed later. */
    coverage: 'GET /api/v2/candle/{id}/coverage?{query}',
    /** As CSV, which another series can import. */
    export: 'GET /api/v2/candle/{id}/candles.csv?{query}',
    /** Candles that the service fetches from exchanges. */
    downloads: {
      /** The newest first. */
      list: 'GET /api/v2/candle/download?{query}',
      /** Starts one. All accounts share what it stores. */
      start: 'POST /api/v2/candle/download {body}',
      get: 'GET /api/v2/candle/download/{id}',
      /** Cancels it. What is stored stays. */
      setStatus: 'PUT /api/v2/candle/download/{id}/status {body}',
    },
  },
  strategies: {
    /** Code that a schedule or a price triggers. */
    code: { ...codeAt('strategy/code'), ...triggerAt('strategy/code') },
    /** AI sessions, which are prompts: a language model is asked on a schedule. */
    llmSessions: { ...llmAt('strategy/llm-session'), ...triggerAt('strategy/llm-session') },
  },
  reactions: {
    /** Code that runs for each delivery of a data webhook. */
    code: codeAt('strategy/reaction/code'),
    /** Prompts: a language model is asked for each delivery of a data webhook. */
    llm: llmAt('strategy/reaction/llm'),
  },
  deployment: {
    /** The objects of one kind as files have them, without code and prompts. */
    list: 'GET /api/v2/deploy?{query}',
    /** Creates and changes many objects, all or none, and nothing that is newer on the service. */
    deploy: 'POST /api/v2/deploy {body}',
  },
  schedules: {
    /** The next times of a schedule, which no strategy has to have. */
    preview: 'GET /api/v2/schedule/preview?{query}',
    /** What became of the latest times of a strategy's schedule, and why some queued no run. */
    trace: 'GET /api/v2/strategy/code/{id}/schedule/trace?{query}',
    /** The same for an AI session. */
    traceSession: 'GET /api/v2/strategy/llm-session/{id}/schedule/trace?{query}',
  },
  webhooks: {
    /** Addresses that receive JSON from outside. */
    data: {
      ...webhooksAt('webhook/data'),
      /** Its deliveries, newest first. */
      deliveries: 'GET /api/v2/webhook/data/{id}/deliveries?{query}',
      /** The code reactions that it triggers. */
      codeReactions: 'GET /api/v2/webhook/data/{id}/code-reactions?{query}',
      /** The AI reactions that it triggers. */
      llmReactions: 'GET /api/v2/webhook/data/{id}/llm-reactions?{query}',
    },
    /** Addresses that receive signals from outside. */
    bot: {
      ...webhooksAt('webhook/bot'),
      /** Sends a signal to its bots, without its URL and its key. */
      send: 'POST /api/v2/webhook/bot/{id}/signal {body}',
      /** Its deliveries, newest first, each with the signal that came of it. */
      deliveries: 'GET /api/v2/webhook/bot/{id}/deliveries?{query}',
      delivery: 'GET /api/v2/webhook/bot/{id}/deliveries/{delivery_id}',
      /** Everything that happened because of a post, step by step, and why something did not. */
      trace: 'GET /api/v2/webhook/bot/{id}/deliveries/{delivery_id}/trace',
      /** Your signal bots that follow it. */
      bots: 'GET /api/v2/webhook/bot/{id}/bots?{query}',
      /** Your prediction bots that are to follow it. */
      predictionBots: 'GET /api/v2/webhook/bot/{id}/prediction-bots?{query}',
      /** Your DEX bots that are to follow it. */
      dexBots: 'GET /api/v2/webhook/bot/{id}/dex-bots?{query}',
    },
  },
  deliveries: {
    /** Those of all data webhooks, newest first. */
    list: 'GET /api/v2/delivery?{query}',
    get: 'GET /api/v2/delivery/{id}',
    /** Everything that happened because of the payload, step by step, and why something did not. */
    trace: 'GET /api/v2/delivery/{id}/trace',
    /** Runs the payload again. */
    replay: 'POST /api/v2/delivery/{id}/replay',
  },
  /** Payloads that you keep for test runs of reactions. */
  testPayloads: {
    list: 'GET /api/v2/test-payload?{query}',
    /** A copy of a delivery, or a text for one of your data webhooks. */
    create: 'POST /api/v2/test-payload {body}',
    get: 'GET /api/v2/test-payload/{id}',
    delete: 'DELETE /api/v2/test-payload/{id}',
  },
  /** What code would have done on candles of the past, and what bots would have made of it. */
  backtests: {
    /** Newest first. */
    list: 'GET /api/v2/backtest?{query}',
    /** Starts one, which a node executes soon; with `estimate`, says only what it would take. */
    create: 'POST /api/v2/backtest {body}',
    get: 'GET /api/v2/backtest/{id}',
    /** What its request gave, which its record only names: storage, last trigger, answers, the values of a sweep. */
    given: 'GET /api/v2/backtest/{id}/given',
    /** `CANCELLED` ends one that waits or runs. */
    setStatus: 'PUT /api/v2/backtest/{id}/status {body}',
    delete: 'DELETE /api/v2/backtest/{id}',
    report: 'GET /api/v2/backtest/{id}/report?{query}',
    /** The combinations of a sweep. */
    sweep: 'GET /api/v2/backtest/{id}/sweep',
    /** For charts: the latest, or those before `until`. */
    candles: 'GET /api/v2/backtest/{id}/candle?{query}',
    trades: 'GET /api/v2/backtest/{id}/trade?{query}',
    fills: 'GET /api/v2/backtest/{id}/fill?{query}',
    equity: 'GET /api/v2/backtest/{id}/equity?{query}',
    signals: 'GET /api/v2/backtest/{id}/signal?{query}',
    /** Those that logged something, failed or broke a rule. */
    runs: 'GET /api/v2/backtest/{id}/run?{query}',
  },
  runs: {
    /** Those of all strategies, newest first. */
    list: 'GET /api/v2/run?{query}',
    get: 'GET /api/v2/run/{id}',
    /** Everything that happened in the run, step by step, and why something did not. */
    trace: 'GET /api/v2/run/{id}/trace',
  },
  /** Actions of language models that wait for your approval. */
  approvals: {
    /** All requests, open and closed, newest first. */
    list: 'GET /api/v2/approval?{query}',
    get: 'GET /api/v2/approval/{id}',
    /** Sends the action, once, even if called twice. */
    approve: 'POST /api/v2/approval/{id}/approve',
    /** Makes sure that the action is never sent. */
    reject: 'POST /api/v2/approval/{id}/reject',
  },
  signals: {
    /** Signals from strategies and from outside, newest first. */
    list: 'GET /api/v2/signal?{query}',
    /** With what your bots did with it. */
    get: 'GET /api/v2/signal/{id}',
    /** What your bots did with it, with their orders. */
    outcome: 'GET /api/v2/signal/{id}/outcome',
  },
  bots: {
    /** Bots that follow the signals of a bot webhook. */
    signal: {
      list: 'GET /api/v2/bot/signal/cex?{query}',
      create: 'POST /api/v2/bot/signal/cex {body}',
      get: 'GET /api/v2/bot/signal/cex/{id}',
      /** Changes the given fields only. */
      update: 'PUT /api/v2/bot/signal/cex/{id} {body}',
      delete: 'DELETE /api/v2/bot/signal/cex/{id}?{query}',
      total: 'GET /api/v2/bot/signal/cex/total',
      duplicate: 'POST /api/v2/bot/signal/cex/duplicate {body}',
      setStatus: 'PUT /api/v2/bot/signal/cex/{id}/status {body}',
      folders: {
        list: 'GET /api/v2/bot/signal/cex/folder?{query}',
        create: 'POST /api/v2/bot/signal/cex/folder {body}',
        get: 'GET /api/v2/bot/signal/cex/folder/{id}',
        update: 'PUT /api/v2/bot/signal/cex/folder/{id} {body}',
        delete: 'DELETE /api/v2/bot/signal/cex/folder/{id}',
        /** The bots that are in no folder. */
        root: 'GET /api/v2/bot/signal/cex/folder/root?{query}',
      },
      /** The signals that it received, and the result of each. */
      signals: 'GET /api/v2/bot/signal/cex/{id}/signals?{query}',
      /** Its trades, from entry to exit, newest first. */
      trades: 'GET /api/v2/bot/signal/cex/{id}/trades?{query}',
      /** All its trades as a CSV file, oldest first. */
      exportTrades: 'GET /api/v2/bot/signal/cex/{id}/trades.csv',
      /** What it earned and lost. */
      stats: 'GET /api/v2/bot/signal/cex/{id}/stats?{query}',
      /** What a LONG without a size would buy with these settings. */
      size: 'POST /api/v2/bot/signal/cex/size {body}',
      /** Its equity over time. */
      equity: 'GET /api/v2/bot/signal/cex/{id}/equity?{query}',
      /** How its books compare with its account, and what was found and done. */
      reconciliation: 'GET /api/v2/bot/signal/cex/{id}/reconciliation?{query}',
      /** The books take over the number of the account. */
      adopt: 'POST /api/v2/bot/signal/cex/{id}/reconciliation/adopt {body}',
      /** The books keep their number, and the difference is not the bot's. */
      ignore: 'POST /api/v2/bot/signal/cex/{id}/reconciliation/ignore {body}',
      /** Closes one position, or all of them. */
      close: 'POST /api/v2/bot/signal/cex/{id}/close {body}',
      /** Lets a bot open again that has stopped because of its drawdown. */
      resetDrawdown: 'POST /api/v2/bot/signal/cex/{id}/drawdown/reset',
      /** Lets a close that waits proceed. */
      proceed: 'POST /api/v2/bot/signal/cex/{id}/signals/{signal_id}/proceed',
      /** Calls off a close that waits, or that is tried again. */
      drop: 'POST /api/v2/bot/signal/cex/{id}/signals/{signal_id}/drop',
    },
    /** Bots for prediction markets, which cannot be on yet. */
    prediction: {
      ...storedBotsAt('bot/signal/prediction'),
      duplicate: 'POST /api/v2/bot/signal/prediction/duplicate {body}',
    },
    /** Bots for DEXes, which cannot be on yet. */
    dex: {
      ...storedBotsAt('bot/signal/dex'),
      /** Yours at an address on a chain. */
      at: 'GET /api/v2/bot/signal/dex/{chain_id}/{address}',
    },
  },
  /** What all bots did with their signals, newest first. */
  botSignals: {
    list: 'GET /api/v2/bot-signal?{query}',
  },
  stats: {
    /** What all your bots earned and lost, or the trades of one strategy, for each mode and currency. */
    get: 'GET /api/v2/stats?{query}',
    /** The trades of all your bots by the strategy that opened them. */
    byStrategy: 'GET /api/v2/stats/strategy?{query}',
  },
  equity: {
    /** What all your bots are worth, and what they realised today, for each mode and currency. */
    get: 'GET /api/v2/equity',
    /** The falls of the sum of all equities. */
    drawdown: 'GET /api/v2/equity/drawdown?{query}',
  },
  positions: {
    list: 'GET /api/v2/position?{query}',
    /** The open ones as a CSV file. */
    export: 'GET /api/v2/position.csv?{query}',
    /** Protects an open position of a bot, or takes its protection away. */
    protect: 'PUT /api/v2/position/{bot_id}/protection {body}',
  },
  orders: {
    list: 'GET /api/v2/order?{query}',
    /** All as a CSV file, oldest first. */
    export: 'GET /api/v2/order.csv?{query}',
  },
  fills: {
    list: 'GET /api/v2/fill?{query}',
    /** All as a CSV file, oldest first. */
    export: 'GET /api/v2/fill.csv?{query}',
  },
  /** From the entry of a position to its exit. */
  trades: {
    /** Those of all your bots, newest first. */
    list: 'GET /api/v2/trade?{query}',
    /** All as a CSV file, bot after bot. */
    export: 'GET /api/v2/trade.csv?{query}',
  },
  /** Funding payments of positions. */
  payments: {
    list: 'GET /api/v2/payment?{query}',
    /** All as a CSV file, oldest first. */
    export: 'GET /api/v2/payment.csv?{query}',
  },
  /** Your accounts on exchanges. */
  connections: {
    list: 'GET /api/v2/api/exchange?{query}',
    /** Checks the credentials with the exchange, then stores them. */
    create: 'POST /api/v2/api/exchange {body}',
    /** Checks credentials without storing them. */
    test: 'POST /api/v2/api/exchange/test {body}',
    get: 'GET /api/v2/api/exchange/{id}',
    delete: 'DELETE /api/v2/api/exchange/{id}',
    setStatus: 'PUT /api/v2/api/exchange/{id}/status {body}',
    /** Your signal bots that have it. */
    bots: 'GET /api/v2/api/exchange/{id}/bots?{query}',
  },
  /** Your accounts on prediction markets, which nothing uses yet. */
  predictionConnections: {
    list: 'GET /api/v2/api/prediction?{query}',
    /** Checks the form of the credentials, then stores them. */
    create: 'POST /api/v2/api/prediction {body}',
    /** Checks the form of credentials without storing them. */
    test: 'POST /api/v2/api/prediction/test {body}',
    get: 'GET /api/v2/api/prediction/{id}',
    delete: 'DELETE /api/v2/api/prediction/{id}',
    setStatus: 'PUT /api/v2/api/prediction/{id}/status {body}',
    /** Your prediction bots that have it. */
    bots: 'GET /api/v2/api/prediction/{id}/bots?{query}',
  },
  /** Your accounts at providers of language models. */
  aiConnections: {
    /** The providers. */
    services: 'GET /api/v2/api/llm/services',
    /** The models of a provider. */
    models: 'GET /api/v2/api/llm/models/{id}?{query}',
    list: 'GET /api/v2/api/llm?{query}',
    create: 'POST /api/v2/api/llm {body}',
    get: 'GET /api/v2/api/llm/{id}',
    delete: 'DELETE /api/v2/api/llm/{id}',
    setModel: 'PUT /api/v2/api/llm/{id}/model {body}',
    /** Sets the connection that is asked if this one fails. */
    setFallback: 'PUT /api/v2/api/llm/{id}/fallback {body}',
  },
  /** Events that the service posts to your own endpoints. */
  notifications: {
    list: 'GET /api/v2/notification?{query}',
    get: 'GET /api/v2/notification/{id}',
    /** Sends it again. */
    replay: 'POST /api/v2/notification/{id}/replay?{query}',
    endpoints: {
      list: 'GET /api/v2/notification/endpoint?{query}',
      /** Shows the secret, this once. */
      create: 'POST /api/v2/notification/endpoint {body}',
      get: 'GET /api/v2/notification/endpoint/{id}',
      update: 'PUT /api/v2/notification/endpoint/{id} {body}',
      delete: 'DELETE /api/v2/notification/endpoint/{id}',
      setStatus: 'PUT /api/v2/notification/endpoint/{id}/status {body}',
      /** Creates a new secret and shows it, this once. */
      rotate: 'POST /api/v2/notification/endpoint/{id}/rotate',
      /** Sends a test notification. */
      test: 'POST /api/v2/notification/endpoint/{id}/test',
      /** Resends everything since a given time that it has not received. */
      recover: 'POST /api/v2/notification/endpoint/{id}/recover {body}',
    },
    /** The hosts to which senders of your signals have callbacks sent. */
    callbacks: {
      list: 'GET /api/v2/notification/callback?{query}',
      delete: 'DELETE /api/v2/notification/callback/{id}',
      /** Creates a new secret and shows it, this once. */
      rotate: 'POST /api/v2/notification/callback/{id}/rotate',
    },
  },
  chat: {
    /** The people of Telegram who may use your account. */
    links: {
      list: 'GET /api/v2/chat/link?{query}',
      /** Makes a link to the bot, valid once, for ten minutes; only with a session. */
      create: 'POST /api/v2/chat/link {body}',
      delete: 'DELETE /api/v2/chat/link/{id}',
    },
  },
  system: {
    /** Versions, nodes, queues, executors and the database; for administrators. */
    get: 'GET /api/v2/system',
  },
  /** The switch for all live trading of the installation. */
  trading: {
    get: 'GET /api/v2/trading',
    /** For administrators. */
    update: 'PUT /api/v2/trading {body}',
    /** Switches off all your bots and closes all their positions. */
    panic: 'POST /api/v2/trading/panic',
  },
  /** The variables that code reads from `$.Env`. No response shows their values. */
  variables: {
    list: 'GET /api/v2/env?{query}',
    create: 'POST /api/v2/env {body}',
    get: 'GET /api/v2/env/{id}',
    update: 'PUT /api/v2/env/{id} {body}',
    delete: 'DELETE /api/v2/env/{id}',
    /** The strategies whose code reads it. */
    uses: 'GET /api/v2/env/{id}/uses?{query}',
  },
  search: {
    /** Your strategies, webhooks, bots, variables, folders and connections, by name, description and id. */
    find: 'GET /api/v2/search?{query}',
  },
  users: {
    /** For administrators. */
    list: 'GET /api/v2/user?{query}',
    get: 'GET /api/v2/user/{id}',
    update: 'PUT /api/v2/user/{id} {body}',
    /** Deletes a user and everything that belongs to the user. */
    delete: 'DELETE /api/v2/user/{id} {body}',
    /** The user who signed the request. */
    me: 'GET /api/v2/user/me',
    setPassword: 'PUT /api/v2/user/password {body}',
    /** With a mail server, the change takes effect when the link in the mail is opened. */
    setEmail: 'POST /api/v2/user/email {body}',
    /** Security events of the account, newest first. */
    audit: 'GET /api/v2/user/audit?{query}',
    /** Mails that the service sent you. */
    mail: 'GET /api/v2/user/mail?{query}',
    /** How many things of each kind a user may have, and has. */
    limits: {
      get: 'GET /api/v2/user/{id}/limits',
      /** For administrators. `null` restores the limit of the installation. */
      update: 'PUT /api/v2/user/{id}/limits {body}',
    },
    /** For administrators. */
    invitations: {
      list: 'GET /api/v2/user/invitation?{query}',
      create: 'POST /api/v2/user/invitation {body}',
      delete: 'DELETE /api/v2/user/invitation/{id}',
    },
    sessions: {
      list: 'GET /api/v2/user/sessions?{query}',
      /** The one that asks, where no request is signed. */
      current: 'GET /api/v2/user/session',
      delete: 'DELETE /api/v2/user/sessions/{id}',
      /** Ends the one that asks, where no request is signed. */
      signOut: 'DELETE /api/v2/user/session',
      signOutEverywhere: 'DELETE /api/v2/user/sessions',
    },
    /** The second factor. */
    totp: {
      create: 'POST /api/v2/user/totp {body}',
      /** Switches it on, by its first code. */
      enable: 'PUT /api/v2/user/totp {body}',
      disable: 'DELETE /api/v2/user/totp {body}',
    },
  },
  /** Keys that requests are signed with. */
  apiKeys: {
    list: 'GET /api/v2/api/key?{query}',
    /** The secret is shown this once. */
    create: 'POST /api/v2/api/key {body}',
    /** Renames it. */
    update: 'PUT /api/v2/api/key/{id} {body}',
    /** Revokes it. */
    delete: 'DELETE /api/v2/api/key/{id}',
    /** Gives it a new secret, which is shown this once. */
    rotate: 'POST /api/v2/api/key/{id}/rotate {body}',
  },
} as const
