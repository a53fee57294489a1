import { openAccounts } from '../accounts/open.ts'
import { Passwords } from '../accounts/passwords.ts'
import type { FindPrice } from '../ai/prompt.ts'
import { Approvals } from '../approvals/approvals.ts'
import { Backtests } from '../backtests/jobs/backtests.ts'
import { TokenBuckets } from '../base/token-buckets.ts'
import { Bots } from '../bots/bots.ts'
import { Closes } from '../bots/closes.ts'
import { demandBotsAreFree } from '../bots/holdings.ts'
import { knownWorth } from '../bots/known-worth.ts'
import { ProtectionChanges } from '../bots/protection/changes.ts'
import { Reconciliations } from '../bots/reconciliation/reconciliations.ts'
import { Records } from '../bots/records.ts'
import { SizePreviewer } from '../bots/size-preview.ts'
import { AllTrades } from '../bots/statistics/all-trades.ts'
import { Equities } from '../bots/statistics/equities.ts'
import { Exports } from '../bots/statistics/exports.ts'
import { FillWalks } from '../bots/statistics/fill-walk.ts'
import { Statistics } from '../bots/statistics/statistics.ts'
import { Trades } from '../bots/statistics/trades.ts'
import { StoredBots } from '../bots/stored/stored-bots.ts'
import { openingsOf } from '../bots/taken-symbols.ts'
import { botObjects } from '../deploy/bot-objects.ts'
import { Deployments } from '../deploy/deployments.ts'
import { strategyObjects } from '../deploy/strategy-objects.ts'
import { webhookObjects } from '../deploy/webhook-objects.ts'
import { Folders } from '../folders/folders.ts'
import { demandValid } from '../http/inner-body.ts'
import { Imports } from '../market/stored/imports.ts'
import { StrategyLogs } from '../runs/model-logs.ts'
import { notifySchedulers } from '../schedules/schedules.ts'
import { Signals } from '../signals/signals.ts'
import { strategyKinds } from '../strategies/kinds.ts'
import { ManualRuns } from '../strategies/manual-runs.ts'
import { LlmTrials } from '../test-runs/llm-trials.ts'
import { TestRuns } from '../test-runs/test-runs.ts'
import { Trials } from '../test-runs/trials.ts'
import { Variables } from '../variables/variables.ts'
import { Deliveries } from '../webhooks/deliveries.ts'
import type { Parts } from './parts.ts'

export type Management = ReturnType<typeof openManagement>

/** Opens the parts with which users manage their accounts, webhooks, strategies and bots. */
export function openManagement(parts: Parts, acquired: AsyncDisposableStack) {
  const { config, logger, storage, switchboard, strategies, ai, live } = parts
  const { database, vault, limits } = storage
  const { catalogue, prices } = parts.market
  const { openSandbox, outside } = parts.code
  const onChange = (userId: number) => switchboard.changed({ userId })
  const variables = new Variables({ database, vault, limits, onChange })
  const testRuns = new TestRuns(() => openSandbox({ executors: 1, warmIsolates: 0 }), outside)
  acquired.defer(() => testRuns.close())
  const environment = (userId: number, folderId: number | null) => variables.applying(userId, folderId)
  const findPrice: FindPrice = (name) => prices.named(name)
  const llmTrials = new LlmTrials({
    ...{ strategies, ...ai, findPrice, environment },
    positions: outside.positions,
    send: outside.send,
    candles: outside.candles,
    logs: new StrategyLogs(database, new Signals(database)),
    charts: parts.market.charts,
    changes: parts.changes,
    database,
  })
  const passwords = new Passwords(config.passwordCost)
  const accounts = openAccountsOf(parts, passwords)
  const walks = new FillWalks(database)
  const trades = new Trades(database, walks, prices)
  acquired.defer(() => accounts.close())
  const records = new Records(database, prices)
  const bots = new Bots({
    ...{ database, limits, catalogue, market: parts.market.feed, ...parts.trading },
    onBots: (botIds) => switchboard.signalled(botIds),
    onChange: live.announce,
  })
  return {
    accounts,
    passwords,
    variables,
    folders: new Folders({ database, limits, onChange }),
    deliveries: new Deliveries(database, new TokenBuckets(config.webhookRate, config.webhookBurst), (runs) =>
      switchboard.stored(runs),
    ),
    manualRuns: new ManualRuns({
      database,
      pace: new TokenBuckets(config.webhookRate, config.webhookBurst),
      onQueued: (run) => switchboard.stored([run]),
    }),
    bots,
    deployments: new Deployments(
      database,
      [
        webhookObjects(parts.webhooks.data, 'data-webhook'),
        webhookObjects(parts.webhooks.bot, 'bot-webhook'),
        ...strategyKinds.map((kind) => strategyObjects(database, strategies, kind)),
        botObjects(bots),
      ],
      demandValid,
    ),
    imports: new Imports(database, parts.stored),
    storedBots: new StoredBots({ database, limits, catalogue }),
    closes: new Closes({
      database,
      onBots: (botIds) => switchboard.signalled(botIds),
      onChange: live.announce,
    }),
    approvals: new Approvals({
      database,
      changes: parts.changes,
      onBots: (botIds) => switchboard.signalled(botIds),
      onSignal: (signal) => logger.info(signal, 'signal'),
      onTold: () => parts.news.audience.onTold(),
      onChange: (strategyId) => switchboard.changed({ strategyId }),
      announce: live.announce,
    }),
    records,
    trades,
    allTrades: new AllTrades(database, trades),
    exports: new Exports(database, trades),
    statistics: new Statistics(database, walks, trades),
    equities: new Equities(database, walks, prices),
    protections: new ProtectionChanges({
      ...{ database, catalogue, market: parts.market.feed, onChange: live.announce },
    }),
    sizes: new SizePreviewer({
      catalogue,
      market: parts.market.feed,
      balance: async (userId, botId) => records.balance(await bots.get(userId, botId)),
      openings: (botId) => openingsOf(database.db, botId),
      worth: (of) => knownWorth(database.db, of),
    }),
    reconciliations: new Reconciliations(database),
    trials: new Trials({ testRuns, strategies, prices, environment }),
    llmTrials,
    backtests: new Backtests({
      ...{ database, vault, environment, syntax: parts.code.syntax, announce: live.announce },
      ...{ candles: parts.stored, connections: parts.ai.connections, retentionDays: config.retentionDays },
    }),
  }
}

function openAccountsOf(parts: Parts, passwords: Passwords) {
  const { config, storage, access, news, switchboard, logger } = parts
  return openAccounts({
    ...storage,
    passwords,
    mailer: news.mailer,
    audit: access.audit,
    publicUrl: config.publicUrl,
    signUp: config.signUp,
    hasMailServer: config.smtpUrl !== null,
    demandBotsAreFree,
    onChanged: (userId) => access.keys.dropUser(userId),
    onStopped: async (userId) => {
      await switchboard.changed({ userId })
      await notifySchedulers(storage.database)
    },
    onError: (err) => logger.error({ err }, 'account work failed'),
  })
}
