/** The names that the client of the hosted service has for operations, with the request line of each. */

const foldersAt = <const Path extends string>(path: Path) => {
  const at = `/api/v2/${path}/folder` as const
  return {
    listFolder: `GET ${at}?{query}`,
    postFolder: `POST ${at} {body}`,
    listFolderRoot: `GET ${at}/root?{query}`,
    getFolder: `GET ${at}/{id}`,
    updateFolder: `PUT ${at}/{id} {body}`,
    deleteFolder: `DELETE ${at}/{id}`,
  } as const
}

const recordsAt = <const Path extends string>(path: Path) => {
  const at = `/api/v2/${path}` as const
  return {
    list: `GET ${at}?{query}`,
    create: `POST ${at} {body}`,
    status: `PUT ${at}/{id}/status {body}`,
  } as const
}

const botsAt = <const Path extends string>(path: Path) => {
  const at = `/api/v2/${path}` as const
  return {
    ...recordsAt(path),
    getTotal: `GET ${at}/total`,
    get: `GET ${at}/{id}`,
    update: `PUT ${at}/{id} {body}`,
    ...foldersAt(path),
  } as const
}

const strategiesAt = <const Path extends string>(path: Path) => {
  const at = `/api/v2/${path}` as const
  return {
    ...botsAt(path),
    delete: `DELETE ${at}/{id}`,
    duplicate: `POST ${at}/duplicate {body}`,
    reset: `PUT ${at}/{id}/reset {body}`,
    public: `PUT ${at}/{id}/public {body}`,
  } as const
}

const codeAt = <const Path extends string>(path: Path) =>
  ({ ...strategiesAt(path), store: `DELETE /api/v2/${path}/{id}/store` }) as const

const webhooksAt = <const Path extends string>(path: Path) => {
  const at = `/api/v2/${path}` as const
  return {
    ...recordsAt(path),
    get: `GET ${at}/{id}`,
    update: `PUT ${at}/{id} {body}`,
    delete: `DELETE ${at}/{id}`,
    shares: `GET ${at}/{id}/shares?{query}`,
    /** Shares the webhook. */
    async: `POST ${at}/share/{id} {body}`,
    // The hosted client sends the recipient in a body. As a query it is signed, and strategies can send it.
    deleteShare: `DELETE ${at}/share/{id}?{query}`,
    listShared: `GET ${at}/shared?{query}`,
    getWithShared: `GET ${at}/shared/with/{userId}?{query}`,
    getByShared: `GET ${at}/shared/by/{userId}?{query}`,
  } as const
}

export const hostedNames = {
  exchanges: {
    list: 'GET /api/v2/exchange?{query}',
    listCex: 'GET /api/v2/exchange/cex',
    getDex: 'GET /api/v2/exchange/dex/{chain}',
    listPrediction: 'GET /api/v2/exchange/prediction',
    listWithExchangeRate: 'GET /api/v2/exchange/with-exchange-rate',
  },
  strategies: {
    llmSessions: strategiesAt('strategy/llm-session'),
    reactions: {
      llm: strategiesAt('strategy/reaction/llm'),
      code: codeAt('strategy/reaction/code'),
    },
    code: codeAt('strategy/code'),
  },
  bots: {
    cex: {
      ...botsAt('bot/signal/cex'),
      delete: 'DELETE /api/v2/bot/signal/cex/{id}?{query}',
      duplicate: 'POST /api/v2/bot/signal/cex/duplicate {body}',
    },
    prediction: {
      ...botsAt('bot/signal/prediction'),
      delete: 'DELETE /api/v2/bot/signal/prediction/{id}',
      duplicate: 'POST /api/v2/bot/signal/prediction/duplicate {body}',
      getMarket: 'GET /api/v2/bot/signal/prediction/market/{exchange}/{slug}',
    },
    dex: {
      ...botsAt('bot/signal/dex'),
      delete: 'DELETE /api/v2/bot/signal/dex/{id}',
      getByChainAndAddress: 'GET /api/v2/bot/signal/dex/{chain_id}/{address}',
      getFactory: 'GET /api/v2/bot/signal/dex/factory/{chainId}/{exchangeId}',
    },
  },
  webhooks: {
    bot: {
      ...webhooksAt('webhook/bot'),
      listBotSignalCex: 'GET /api/v2/webhook/bot/bot/signal/{id}/cex?{query}',
      listBotSignalDex: 'GET /api/v2/webhook/bot/bot/signal/{id}/dex?{query}',
      listBotSignalPrediction: 'GET /api/v2/webhook/bot/bot/signal/{id}/prediction?{query}',
    },
    data: {
      ...webhooksAt('webhook/data'),
      llmReactions: 'GET /api/v2/webhook/data/{id}/llm-reactions?{query}',
      codeReactions: 'GET /api/v2/webhook/data/{id}/code-reactions?{query}',
    },
  },
  apiKeys: {
    exchange: {
      ...recordsAt('api/exchange'),
      getSignalBot: 'GET /api/v2/api/exchange/bot/signal/{id}?{query}',
      delete: 'DELETE /api/v2/api/exchange/{id}',
      postTest: 'POST /api/v2/api/exchange/test {body}',
    },
    llm: {
      listServices: 'GET /api/v2/api/llm/services',
      getModels: 'GET /api/v2/api/llm/models/{id}?{query}',
      model: 'PUT /api/v2/api/llm/{id}/model {body}',
      list: 'GET /api/v2/api/llm?{query}',
      create: 'POST /api/v2/api/llm {body}',
      delete: 'DELETE /api/v2/api/llm/{id}',
    },
    prediction: {
      ...recordsAt('api/prediction'),
      getSignalBot: 'GET /api/v2/api/prediction/bot/signal/{id}?{query}',
      delete: 'DELETE /api/v2/api/prediction/{id}',
      postTest: 'POST /api/v2/api/prediction/test {body}',
    },
  },
} as const
