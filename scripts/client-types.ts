/**
 * Writes the types of the API client from `docs/openapi.json`. With `--check`, it writes nothing, and fails with the
 * difference if the file does not match the document.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { apiTypes, type OpenApi } from './api-types.ts'

const names = {
  Exchange: 'PUT /api/v2/exchange/{id}',
  ApiKey: 'GET /api/v2/api/key',
  DataWebhook: 'GET /api/v2/webhook/data/{id}',
  Delivery: 'GET /api/v2/delivery/{id}',
  CodeStrategy: 'GET /api/v2/strategy/code/{id}',
  CodeStrategyInList: 'GET /api/v2/strategy/code',
  CodeReaction: 'GET /api/v2/strategy/reaction/code/{id}',
  CodeReactionInList: 'GET /api/v2/strategy/reaction/code',
  AiReaction: 'GET /api/v2/strategy/reaction/llm/{id}',
  AiReactionInList: 'GET /api/v2/strategy/reaction/llm',
  AiSession: 'GET /api/v2/strategy/llm-session/{id}',
  AiSessionInList: 'GET /api/v2/strategy/llm-session',
  Folder: 'PUT /api/v2/strategy/reaction/code/folder/{id}',
  Run: 'GET /api/v2/run/{id}',
  TestRun: 'POST /api/v2/strategy/reaction/code/{id}/test',
  AiTestRun: 'POST /api/v2/strategy/reaction/llm/{id}/test',
  Approval: 'GET /api/v2/approval/{id}',
  ApprovalInList: 'GET /api/v2/approval',
  Backtest: 'GET /api/v2/backtest/{id}',
  Signal: 'GET /api/v2/signal',
  BotWebhook: 'GET /api/v2/webhook/bot/{id}',
  ExchangeConnection: 'GET /api/v2/api/exchange/{id}',
  SignalBot: 'GET /api/v2/bot/signal/cex/{id}',
  SignalBotInList: 'GET /api/v2/bot/signal/cex',
  BotSignal: 'GET /api/v2/bot/signal/cex/{id}/signals',
  Order: 'GET /api/v2/order',
  Fill: 'GET /api/v2/fill',
  Position: 'GET /api/v2/position',
  EnvironmentVariable: 'GET /api/v2/env/{id}',
  WebhookShare: 'GET /api/v2/webhook/data/{id}/shares',
  SharedWebhook: 'GET /api/v2/webhook/data/shared',
  PublicStrategy: 'GET /api/v2/strategy/code/public/{id}',
  PublicStrategyInList: 'GET /api/v2/strategy/code/public',
  User: 'GET /api/v2/user/{id}',
  Session: 'GET /api/v2/user/sessions',
  TradingSwitch: 'GET /api/v2/trading',
  UserLimits: 'GET /api/v2/user/{id}/limits',
  Invitation: 'GET /api/v2/user/invitation',
  AuditEvent: 'GET /api/v2/user/audit',
  Mail: 'GET /api/v2/user/mail',
  NotificationEndpoint: 'GET /api/v2/notification/endpoint/{id}',
  Notification: 'GET /api/v2/notification/{id}',
  AiConnection: 'GET /api/v2/api/llm/{id}',
}

const document = new URL('../docs/openapi.json', import.meta.url)
const target = new URL('../packages/client/src/api-types.ts', import.meta.url)

const head =
  '/** The API as its OpenAPI document describes it. Made by `scripts/client-types.ts`; not to be edited. */\n\n'
const text = formatted(head + apiTypes(JSON.parse(await readFile(document, 'utf8')) as OpenApi, names))
if (process.argv.includes('--check')) {
  const committed = await readFile(target, 'utf8').catch(() => '')
  const advice = 'The types of the client are out of date. Run `npm run openapi` and commit the file.'
  assert.equal(committed, text, advice)
} else {
  await writeFile(target, text)
}

/** The text in the format of `npm run format`. */
function formatted(code: string): string {
  const biome = fileURLToPath(new URL('../node_modules/@biomejs/biome/bin/biome', import.meta.url))
  return execFileSync(process.execPath, [biome, 'format', '--stdin-file-path=api-types.ts'], {
    input: code,
    encoding: 'utf8',
  })
}
