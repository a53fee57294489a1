import assert from 'node:assert/strict'
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { defaultLimits } from './base/default-limits.ts'
import { ConfigError, readConfig } from './config.ts'

const hex = '00'.repeat(16) + 'ff'.repeat(16)

const telegramToken = `123456789:${'A'.repeat(35)}`

test('without any setting everything has a default', () => {
  assert.deepEqual(readConfig({}), {
    port: 3000,
    host: '127.0.0.1',
    publicUrl: 'http://127.0.0.1:3000',
    trustedProxies: [],
    dataDir: resolve('data'),
    databaseUrl: null,
    databaseConnections: 10,
    roles: new Set(['api', 'worker', 'scheduler', 'market', 'backtest']),
    masterKey: null,
    smtpUrl: null,
    heartbeatUrl: null,
    telegram: null,
    mailFrom: 'tickwright@localhost',
    httpAllow: new Set(),
    market: { kind: 'live' },
    exchangeEndpoints: {},
    webhookRate: 50,
    webhookBurst: 200,
    payloadByteLimit: 262_144,
    liveStreamsOfUser: 100,
    liveStreamsOfNode: 10_000,
    timestampToleranceSeconds: 60,
    retentionDays: 30,
    seenCandles: 5_000_000,
    sandboxExecutors: 2,
    sandboxRunsPerIsolate: 10_000,
    sandboxJit: true,
    demandsFullContainment: false,
    backtestExecutors: 1,
    probationPriority: 'lowest',
    backtestPriority: 'lowest',
    logLevel: 'info',
    signUp: 'invitation',
    passwordCost: 17,
    allowWithdrawalKeys: true,
    migrationBackup: true,
    userLimits: defaultLimits,
    administrator: { email: 'admin@localhost', password: null, apiKey: null },
    example: true,
  })
})

test('an empty variable counts as one that is not set, and space around a value does not count', () => {
  const names = ['PORT', 'HOST', 'DATABASE_URL', 'MASTER_KEY', 'ROLES', 'LOG_LEVEL', 'EXCHANGE_ENDPOINTS']
  const empty = Object.fromEntries(names.flatMap((name) => [[name, '']]))
  assert.deepEqual(readConfig(empty), readConfig({}))
  assert.deepEqual(readConfig(Object.fromEntries(names.map((name) => [name, '  ']))), readConfig({}))
  assert.equal(readConfig({ PORT: ' 80 ' }).port, 80)
})

test('each setting is read', () => {
  const own = { rest: 'http://127.0.0.1:9000', ws: 'ws://127.0.0.1:9000' }
  const endpoints = { binance: { ...own, unlimited: true as const }, gate: own, kraken: {} }
  const config = readConfig({
    PORT: '0',
    HOST: '::1',
    TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32,192.0.2.7',
    DATA_DIR: '/var/lib/tickwright',
    DATABASE_URL: 'postgresql://user:secret@db.example.com/tickwright?sslmode=require',
    ROLES: 'worker, api',
    MASTER_KEY: hex,
    SMTP_URL: 'smtps://user:secret@mail.example.com:465',
    HEARTBEAT_URL: 'https://hc-ping.com/check',
    TELEGRAM_BOT_TOKEN: telegramToken,
    TELEGRAM_UPDATES: 'polling',
    TELEGRAM_API_ROOT: 'http://127.0.0.1:8081/',
    MAIL_FROM: 'trading@example.com',
    HTTP_ALLOW: '10.0.0.5:8080, Prices.internal:443,[::1]:9',
    MARKET: 'sim',
    MARKET_SPEED: '60',
    EXCHANGE_ENDPOINTS: JSON.stringify(endpoints),
    WEBHOOK_RATE: '1',
    WEBHOOK_BURST: '2',
    LIVE_STREAMS_PER_USER: '3',
    LIVE_STREAMS: '4',
    WEBHOOK_PAYLOAD_LIMIT: '1024',
    TIMESTAMP_TOLERANCE: '3600',
    RETENTION_DAYS: '90',
    DATABASE_CONNECTIONS: '20',
    SEEN_CANDLES: '1000',
    BACKTEST_EXECUTORS: '3',
    PROBATION_PRIORITY: 'normal',
    BACKTEST_PRIORITY: 'normal',
    MIGRATION_BACKUP: '0',
    SANDBOX_EXECUTORS: '8',
    SANDBOX_RUNS_PER_ISOLATE: '1',
    SANDBOX_JIT: '0',
    CONTAINMENT: 'full',
    LOG_LEVEL: 'silent',
    SIGN_UP: 'open',
    PASSWORD_COST: '15',
    ALLOW_WITHDRAWAL_KEYS: '0',
    USER_LIMITS: 'strategies:20, bots:1',
    TICKWRIGHT_ADMIN_EMAIL: 'me@example.com',
    TICKWRIGHT_ADMIN_PASSWORD: 'twelve chars',
    TICKWRIGHT_ADMIN_API_KEY: 'key-1234',
    TICKWRIGHT_ADMIN_API_SECRET: 'sixteen letters!',
    TICKWRIGHT_EXAMPLE: '0',
  })
  assert.deepEqual(config, {
    port: 0,
    host: '::1',
    publicUrl: 'http://[::1]:0',
    trustedProxies: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'],
    dataDir: '/var/lib/tickwright',
    databaseUrl: 'postgresql://user:secret@db.example.com/tickwright?sslmode=require',
    databaseConnections: 20,
    roles: new Set(['worker', 'api']),
    masterKey: Buffer.from(hex, 'hex'),
    smtpUrl: 'smtps://user:secret@mail.example.com:465',
    heartbeatUrl: 'https://hc-ping.com/check',
    telegram: { token: telegramToken, updates: 'polling', apiRoot: 'http://127.0.0.1:8081' },
    mailFrom: 'trading@example.com',
    httpAllow: new Set(['10.0.0.5:8080', 'prices.internal:443', '[::1]:9']),
    market: { kind: 'sim' },
    exchangeEndpoints: endpoints,
    webhookRate: 1,
    webhookBurst: 2,
    payloadByteLimit: 1024,
    liveStreamsOfUser: 3,
    liveStreamsOfNode: 4,
    timestampToleranceSeconds: 3600,
    retentionDays: 90,
    seenCandles: 1000,
    backtestExecutors: 3,
    probationPriority: 'normal',
    backtestPriority: 'normal',
    migrationBackup: false,
    sandboxExecutors: 8,
    sandboxRunsPerIsolate: 1,
    sandboxJit: false,
    demandsFullContainment: true,
    logLevel: 'silent',
    signUp: 'open',
    passwordCost: 15,
    allowWithdrawalKeys: false,
    userLimits: { ...defaultLimits, strategies: 20, bots: 1 },
    administrator: {
      email: 'me@example.com',
      password: 'twelve chars',
      apiKey: { key: 'key-1234', secret: 'sixteen letters!' },
    },
    example: false,
  })
})

test('the public address follows host and port, unless it is set', () => {
  const cases: [Record<string, string>, string][] = [
    [{ PORT: '80' }, 'http://127.0.0.1:80'],
    [{ HOST: '0.0.0.0' }, 'http://localhost:3000'],
    [{ HOST: '::' }, 'http://localhost:3000'],
    [{ HOST: 'trading.example.com' }, 'http://trading.example.com:3000'],
    [{ PUBLIC_URL: 'https://trading.example.com' }, 'https://trading.example.com'],
    [{ PUBLIC_URL: 'https://trading.example.com/' }, 'https://trading.example.com'],
    [{ PUBLIC_URL: 'https://trading.example.com:8443' }, 'https://trading.example.com:8443'],
  ]
  for (const [env, expected] of cases) assert.equal(readConfig(env).publicUrl, expected)
})

test('a host that no address can have is refused by name', () => {
  for (const HOST of [':', 'a b', 'http://a', 'a/b', 'user@a', '[::1', '1.2.3.4.5', 'a\tb']) {
    assert.throws(
      () => readConfig({ HOST }),
      new ConfigError(`HOST must be a host name or an IP address, got "${HOST}".`),
    )
  }
})

test('a market that ends in .csv is a candle file, which must be there', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-config-'))
  const file = join(folder.path, 'My candles.CSV')
  await writeFile(file, '')
  assert.deepEqual(readConfig({ MARKET: file }).market, { kind: 'replay', file, speed: 1 })
  const settings = { MARKET: relative('.', file), MARKET_SPEED: '0.25' }
  assert.deepEqual(readConfig(settings).market, { kind: 'replay', file, speed: 0.25 })

  const directory = join(folder.path, 'folder.csv')
  await mkdir(directory)
  const refused = (path: string, reason: RegExp) =>
    assert.throws(() => readConfig({ MARKET: path }), { name: 'ConfigError', message: reason })
  refused(directory, /^MARKET names a candle file that is no file, got ".*folder\.csv"\.$/)
  refused(join(folder.path, 'absent.csv'), /^MARKET names a candle file that does not exist, got /)
  refused(join(file, 'below.csv'), /^MARKET names a candle file that cannot be read \(ENOTDIR\), got /)
})

test('a master key is 32 bytes in hex or Base64', () => {
  const bytes = Buffer.from(hex, 'hex')
  const forms = [hex, hex.toUpperCase(), bytes.toString('base64'), bytes.toString('base64url')]
  for (const form of forms) assert.deepEqual(readConfig({ MASTER_KEY: form }).masterKey, bytes, form)
})

const wrong: Record<string, string[]> = {
  PORT: ['-1', '65536', '80.5', '8o', '1e3', '0x50', 'http', '99999999999999999999'],
  PUBLIC_URL: [
    ...['example.com', 'ftp://example.com', 'https://example.com/path', 'https://example.com?x', 'https://'],
    'https://user@example.com',
  ],
  TRUSTED_PROXIES: ['proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.1,', '::/129', 'true'],
  SIGN_UP: ['closed', 'OPEN', 'open'],
  PASSWORD_COST: ['13', '21', '2e1'],
  USER_LIMITS: ['strategies', 'strategies:0', 'bots:1000001', 'cats:5', 'bots:1,', 'bots=1', 'toString:1'],
  DATABASE_URL: [
    'mysql://db/tickwright',
    'db',
    '/var/run',
    'postgres://a:5432,b:5432/db',
    'postgres://a,b/db',
  ],
  ROLES: ['web', 'api,', 'api;worker', 'API', 'api worker'],
  HTTP_ALLOW: [
    'localhost',
    'localhost:',
    ':80',
    'localhost:0',
    'localhost:65536',
    'http://localhost:80',
    'a:1,,b:2',
  ],
  MARKET: ['paper', 'LIVE', '1', 'candles.txt', 'nowhere/candles.csv', '.csv'],
  MARKET_SPEED: ['0', '-1', '0.0001', '1000001', '1e3', '.5', 'fast', 'Infinity', '60x'],
  EXCHANGE_ENDPOINTS: [
    ...[
      'binance',
      '[]',
      'null',
      '1',
      '{"binance":"http://x"}',
      '{"binance":{"rest":1}}',
      '{"binance":{"x":"y"}}',
      '{"binance":{"rest":"http://x","unlimited":1}}',
      '{"binance":{"rest":"http://x","unlimited":true}}',
    ],
    ...[
      '{"binance":{"rest":"ws://x"}}',
      '{"binance":{"ws":"http://x"}}',
      '{"binance":{"rest":"http://x/path"}}',
    ],
  ],
  SMTP_URL: ['mail.example.com', 'http://mail.example.com'],
  HEARTBEAT_URL: ['hc-ping.com/check', 'ftp://hc-ping.com/check'],
  TELEGRAM_UPDATES: ['push', 'POLLING'],
  TELEGRAM_API_ROOT: ['api.telegram.org', 'ftp://127.0.0.1', 'http://127.0.0.1/bot'],
  MAIL_FROM: ['Me <me@example.com>', 'a@b, c@d', 'nobody'],
  WEBHOOK_RATE: ['0', '1000001', '-5', '1.5', 'many'],
  WEBHOOK_BURST: ['0', '1000001', 'x'],
  WEBHOOK_PAYLOAD_LIMIT: ['0', '1023', '16777217', '256KB'],
  LIVE_STREAMS: ['0', '100001', 'all'],
  LIVE_STREAMS_PER_USER: ['0', '100001', '1.5'],
  TIMESTAMP_TOLERANCE: ['0', '3601', '60s'],
  DATABASE_CONNECTIONS: ['3', '21', 'many'],
  RETENTION_DAYS: ['0', '3651', 'forever'],
  SEEN_CANDLES: ['-1', '20000001', 'all'],
  SANDBOX_EXECUTORS: ['0', '65', 'all'],
  SANDBOX_RUNS_PER_ISOLATE: ['0', '1000001'],
  SANDBOX_JIT: ['true', 'yes', '2', 'on'],
  CONTAINMENT: ['partial', 'FULL', '1'],
  LOG_LEVEL: ['loud', 'INFO', 'warning'],
  TICKWRIGHT_ADMIN_EMAIL: ['admin', '@example.com', 'a b@example.com', `${'a'.repeat(250)}@example.com`],
  TICKWRIGHT_EXAMPLE: ['no', 'false', '2'],
}

for (const [name, values] of Object.entries(wrong)) {
  test(`a value that ${name} cannot have is refused, naming variable and value`, () => {
    for (const value of values) {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error: Error) => {
          assert.ok(error instanceof ConfigError, value)
          assert.ok(error.message.startsWith(name), error.message)
          const shown = /got "(.*?)(?:…)?"\.$/s.exec(error.message)?.[1]
          assert.ok(shown !== undefined && shown !== '' && value.includes(shown), error.message)
          return true
        },
      )
    }
  })
}

test('a secret that cannot be used is refused by name, and never quoted', () => {
  const admin = { TICKWRIGHT_ADMIN_API_KEY: 'key-1234', TICKWRIGHT_ADMIN_API_SECRET: 'sixteen letters!' }
  const secret = 'hunter2'
  const cases: [name: string, env: Record<string, string>][] = [
    ['MASTER_KEY', { MASTER_KEY: secret }],
    ['MASTER_KEY', { MASTER_KEY: hex.slice(1) }],
    ['TICKWRIGHT_ADMIN_PASSWORD', { TICKWRIGHT_ADMIN_PASSWORD: secret }],
    ['TICKWRIGHT_ADMIN_API_SECRET', { ...admin, TICKWRIGHT_ADMIN_API_SECRET: secret }],
    ['DATABASE_URL', { DATABASE_URL: `mysql://root:${secret}@db/x` }],
    ['SMTP_URL', { SMTP_URL: `imap://me:${secret}@mail/x` }],
    ['HEARTBEAT_URL', { HEARTBEAT_URL: `ftp://x/${secret}` }],
    ['TELEGRAM_BOT_TOKEN', { TELEGRAM_BOT_TOKEN: `12345:${secret}` }],
  ]
  for (const [name, env] of cases) {
    assert.throws(
      () => readConfig(env),
      (error: Error) =>
        error.message.startsWith(name) &&
        !error.message.includes(secret) &&
        !error.message.includes(hex.slice(1)),
      name,
    )
  }
})

test('an API key and its secret go together, and the key is visible ASCII', () => {
  const key = { TICKWRIGHT_ADMIN_API_KEY: 'key-1234' }
  const secret = { TICKWRIGHT_ADMIN_API_SECRET: 'sixteen letters!' }
  assert.throws(() => readConfig(key), /TICKWRIGHT_ADMIN_API_SECRET is not set/)
  assert.throws(() => readConfig(secret), /TICKWRIGHT_ADMIN_API_KEY is not set/)
  for (const value of ['short', 'with space', 'schlüssel', 'x'.repeat(129)]) {
    assert.throws(
      () => readConfig({ ...secret, TICKWRIGHT_ADMIN_API_KEY: value }),
      /TICKWRIGHT_ADMIN_API_KEY must/,
    )
  }
})
