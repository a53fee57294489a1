/** Every operation of the API by a name that can be guessed. One verb means one thing wherever it stands. */

/** What strategies of all types have in common, which is all but their fields. */
const strategiesAt = <
  const Path extends 'strategy/code' | 'strategy/reaction/code' | 'strategy/reaction/llm',
>(
  path: Path,
) => {
  const at = `/api/v2/${path}` as const
  return {
    /** All, or a page, or those in a folder; without code and prompts. */
    list: `GET ${at}?{query}`,
    create: `POST ${at} {body}`,
    /** With its code or prompt, and what it has stored. */
    get: `GET ${at}/{id}`,
    /** Changes what is given; the rest stays. */
    update: `PUT ${at}/{id} {body}`,
    delete: `DELETE ${at}/{id}`,
    total: `GET ${at}/total`,
    duplicate: `POST ${at}/duplicate {body}`,
    setStatus: `PUT ${at}/{id}/status {body}`,
    /** Forgets the last trigger, what is stored, or the model's last words. */
    reset: `PUT ${at}/{id}/reset {body}`,
    clearStore: `DELETE ${at}/{id}/store`,
    /** Its runs, the newest first. */
    runs: `GET ${at}/{id}/runs?{query}`,
    /** Runs it once without consequences, with other code or another prompt if some is given. */
    test: `POST ${at}/{id}/test {body}`,
    folders: {
      list: `GET ${at}/folder?{query}`,
      create: `POST ${at}/folder {body}`,
      get: `GET ${at}/folder/{id}`,
      update: `PUT ${at}/folder/{id} {body}`,
      delete: `DELETE ${at}/folder/{id}`,
      /** What is in no folder. */
      root: `GET ${at}/folder/root`,
    },
    /** What users show to all others. */
    public: {
      list: `GET ${at}/public?{query}`,
      /** With its code or prompt. */
      get: `GET ${at}/public/{id}`,
    },
  } as const
}

/** What the two types of code have besides. */
const codeAt = <const Path extends 'strategy/code' | 'strategy/reaction/code'>(path: Path) =>
  ({
    ...strategiesAt(path),
    /** Runs code once without consequences that belongs to no strategy yet. */
    testCode: `POST /api/v2/${path}/test {body}`,
  }) as const

/** What data webhooks and bot webhooks have in common. */
const webhooksAt = <const Path extends 'webhook/data' | 'webhook/bot'>(path: Path) => {
  const at = `/api/v2/${path}` as const
  return {
    list: `GET ${at}?{query}`,
    create: `POST ${at} {body}`,
    get: `GET ${at}/{id}`,
    /** Changes what is given; the rest stays. */
    update: `PUT ${at}/{id} {body}`,
    delete: `DELETE ${at}/{id}`,
    setStatus: `PUT ${at}/{id}/status {body}`,
    /** Whom one of yours is shared with. */
    shares: `GET ${at}/{id}/shares?{query}`,
    /** Gives a user a URL of their own. */
    share: `POST ${at}/share/{id} {body}`,
    /** Takes it away. */
    unshare: `DELETE ${at}/share/{id}?{query}`,
    /** What others share with you. */
    shared: `GET ${at}/shared?{query}`,
    /** Those of yours that you share with a user. */
    sharedWith: `GET ${at}/shared/with/{userId}?{query}`,
    /** Those that a user shares with you. */
    sharedBy: `GET ${at}/shared/by/{userId}?{query}`,
  } as const
}

export const namespaces = {
  /** The catalogue of exchanges. All lists are in order of id. */
  exchanges: {
    /** All exchanges; `enabled` leaves one half of them, `chainId` the DEXes on that chain. */
    list: 'GET /api/v2/exchange?{query}',
    /** The enabled centralised exchanges. */
    cex: 'GET /api/v2/exchange/cex',
    /** The DEXes on a chain: an EIP-155 number as text (`'1'`), or a name such as `solana`. */
    dex: 'GET /api/v2/exchange/dex/{chain}',
    /** The prediction markets. */
    prediction: 'GET /api/v2/exchange/prediction',
    /** The enabled exchanges that supply exchange rates. */
    withExchangeRate: 'GET /api/v2/exchange/with-exchange-rate',
    /** Says whether this installation can use it; for administrators. */
    update: 'PUT /api/v2/exchange/{id} {body}',
  },
  strategies: {
    /** Code that the clock or a price sets off. */
    code: codeAt('strategy/code'),
  },
  reactions: {
    /** Code that runs for each delivery of a data webhook. */
    code: codeAt('strategy/reaction/code'),
    /** Language models that are asked for each delivery of a data webhook. */
    llm: {
      ...strategiesAt('strategy/reaction/llm'),
      /** Asks a model once without consequences what belongs to no reaction yet. */
      testPrompt: 'POST /api/v2/strategy/reaction/llm/test {body}',
    },
  },
  webhooks: {
    /** Addresses that take JSON from outside. */
    data: {
      ...webhooksAt('webhook/data'),
      /** What it took in, the newest first. */
      deliveries: 'GET /api/v2/webhook/data/{id}/deliveries?{query}',
      /** The code reactions that are attached to it. */
      codeReactions: 'GET /api/v2/webhook/data/{id}/code-reactions?{query}',
      /** The AI reactions that are attached to it. */
      llmReactions: 'GET /api/v2/webhook/data/{id}/llm-reactions?{query}',
    },
    /** Addresses that take signals from outside. */
    bot: {
      ...webhooksAt('webhook/bot'),
      /** The signal bots of yours that follow it. */
      bots: 'GET /api/v2/webhook/bot/{id}/bots?{query}',
    },
  },
  deliveries: {
    get: 'GET /api/v2/delivery/{id}',
    /** Queues its runs again. */
    replay: 'POST /api/v2/delivery/{id}/replay',
  },
  runs: {
    get: 'GET /api/v2/run/{id}',
  },
  /** Actions of AI reactions that wait for you. */
  approvals: {
    /** Those that wait, and those that have waited, the newest first. */
    list: 'GET /api/v2/approval?{query}',
    get: 'GET /api/v2/approval/{id}',
    /** Sends the action, once however often it is approved. */
    approve: 'POST /api/v2/approval/{id}/approve',
    /** It is never sent then. */
    reject: 'POST /api/v2/approval/{id}/reject',
  },
  signals: {
    /** What strategies decided and what came in from outside, the newest first. */
    list: 'GET /api/v2/signal?{query}',
  },
  bots: {
    /** Bots that follow the signals of a bot webhook. */
    signal: {
      list: 'GET /api/v2/bot/signal/cex?{query}',
      create: 'POST /api/v2/bot/signal/cex {body}',
      get: 'GET /api/v2/bot/signal/cex/{id}',
      /** Changes what is given; the rest stays. */
      update: 'PUT /api/v2/bot/signal/cex/{id} {body}',
      delete: 'DELETE /api/v2/bot/signal/cex/{id}?{query}',
      total: 'GET /api/v2/bot/signal/cex/total',
      duplicate: 'POST /api/v2/bot/signal/cex/duplicate {body}',
      setStatus: 'PUT /api/v2/bot/signal/cex/{id}/status {body}',
      /** The signals that it was given, and what became of them. */
      signals: 'GET /api/v2/bot/signal/cex/{id}/signals?{query}',
      /** What it was worth over time. */
      equity: 'GET /api/v2/bot/signal/cex/{id}/equity?{query}',
    },
  },
  positions: {
    list: 'GET /api/v2/position?{query}',
  },
  orders: {
    list: 'GET /api/v2/order?{query}',
  },
  fills: {
    list: 'GET /api/v2/fill?{query}',
  },
  /** Accounts on exchanges. */
  connections: {
    list: 'GET /api/v2/api/exchange?{query}',
    /** Checks the credentials with the exchange, and stores them. */
    create: 'POST /api/v2/api/exchange {body}',
    /** Checks credentials, and stores nothing. */
    test: 'POST /api/v2/api/exchange/test {body}',
    get: 'GET /api/v2/api/exchange/{id}',
    delete: 'DELETE /api/v2/api/exchange/{id}',
    setStatus: 'PUT /api/v2/api/exchange/{id}/status {body}',
  },
  /** Accounts at providers of language models. */
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
    /** Says which connection is asked when this one fails. */
    setFallback: 'PUT /api/v2/api/llm/{id}/fallback {body}',
  },
  /** What is told to an HTTP endpoint of your own. */
  notifications: {
    list: 'GET /api/v2/notification?{query}',
    get: 'GET /api/v2/notification/{id}',
    /** Sends it again. */
    replay: 'POST /api/v2/notification/{id}/replay?{query}',
    endpoints: {
      list: 'GET /api/v2/notification/endpoint?{query}',
      /** The secret is shown this once. */
      create: 'POST /api/v2/notification/endpoint {body}',
      get: 'GET /api/v2/notification/endpoint/{id}',
      update: 'PUT /api/v2/notification/endpoint/{id} {body}',
      delete: 'DELETE /api/v2/notification/endpoint/{id}',
      setStatus: 'PUT /api/v2/notification/endpoint/{id}/status {body}',
      /** Gives it a new secret, which is shown this once. */
      rotate: 'POST /api/v2/notification/endpoint/{id}/rotate',
      /** Sends it something to try it out. */
      test: 'POST /api/v2/notification/endpoint/{id}/test',
      /** Sends again all that it has missed since a moment. */
      recover: 'POST /api/v2/notification/endpoint/{id}/recover {body}',
    },
  },
  /** The switch for all trading of the installation. */
  trading: {
    get: 'GET /api/v2/trading',
    /** For administrators. */
    update: 'PUT /api/v2/trading {body}',
  },
  /** What code reads from `$.Env`; values are never shown. */
  variables: {
    list: 'GET /api/v2/env?{query}',
    create: 'POST /api/v2/env {body}',
    get: 'GET /api/v2/env/{id}',
    update: 'PUT /api/v2/env/{id} {body}',
    delete: 'DELETE /api/v2/env/{id}',
  },
  users: {
    /** For administrators. */
    list: 'GET /api/v2/user?{query}',
    get: 'GET /api/v2/user/{id}',
    update: 'PUT /api/v2/user/{id} {body}',
    /** With all that is theirs. */
    delete: 'DELETE /api/v2/user/{id} {body}',
    /** Who signs. */
    me: 'GET /api/v2/user/me',
    setPassword: 'PUT /api/v2/user/password {body}',
    /** With a mail server, the change takes effect when the link in the mail is opened. */
    setEmail: 'POST /api/v2/user/email {body}',
    /** What became of the account and its secrets, the newest first. */
    audit: 'GET /api/v2/user/audit?{query}',
    /** Mails to you. */
    mail: 'GET /api/v2/user/mail?{query}',
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
