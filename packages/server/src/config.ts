import { accessSync, constants, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { defaultLimits, type Limits, parseLimits } from './base/default-limits.ts'
import { isNetwork } from './base/networks.ts'
import { readSecretFile } from './base/secret-files.ts'

/** The administrator's address until they have one. Nobody receives mail there. */
export const placeholderEmail = 'admin@localhost'

export const roles = ['api', 'worker', 'scheduler', 'market', 'backtest'] as const
export type Role = (typeof roles)[number]

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** The source of prices: the exchanges, a simulation, or a file of candles, which `speed` accelerates. */
/** The clock of a replay, for a program that runs the service inside itself and moves the replay on. */
export type ReplayClock = {
  /** Milliseconds since some moment before the replay began. */
  elapsedMs(): number
  /** Has a function called after each move. */
  onMove(moved: () => void): void
}

export type MarketConfig =
  | { kind: 'live' }
  | { kind: 'sim' }
  | { kind: 'replay'; file: string; speed: number; clock?: ReplayClock }

/** How the bot gets updates: it asks Telegram for them, or Telegram sends them to `PUBLIC_URL`. `apiRoot` is an origin. */
export type TelegramConfig = { token: string; updates: 'polling' | 'webhook'; apiRoot: string }

/** All settings, read once at the start. The unit of a time is at the end of its name. */
export type Config = {
  port: number
  host: string
  /** The origin at which senders reach this service, without a trailing slash. Webhook URLs start with it. */
  publicUrl: string
  /** Reverse proxies that are trusted to name a sender's address: addresses, or networks in CIDR notation. */
  trustedProxies: string[]
  dataDir: string
  /** `null`: the service starts a PostgreSQL server on the data folder. */
  databaseUrl: string | null
  /** The most connections to the database, besides the one that listens. */
  databaseConnections: number
  roles: ReadonlySet<Role>
  /** 32 bytes; `null`: read from the data folder, or created there. */
  masterKey: Buffer | null
  /** `null`: mail is not sent, only stored and shown. */
  smtpUrl: string | null
  /** The sender address of mail. */
  mailFrom: string
  /** An address that is called while the service works, so that its silence alerts somebody; `null`: none. */
  heartbeatUrl: string | null
  /** The bot of Telegram that takes commands; `null`: there is none. */
  telegram: TelegramConfig | null
  /** `host:port` pairs that strategies may reach even though they are not public. */
  httpAllow: ReadonlySet<string>
  market: MarketConfig
  /** `unlimited`: both addresses accept any number of requests, where the exchange itself would block this machine. */
  exchangeEndpoints: Record<string, { rest?: string; ws?: string; unlimited?: true }>
  webhookRate: number
  webhookBurst: number
  payloadByteLimit: number
  liveStreamsOfUser: number
  liveStreamsOfNode: number
  timestampToleranceSeconds: number
  retentionDays: number
  /** Candles of prices that strategies have seen, of all markets together; 0: none are kept. */
  seenCandles: number
  /** Whether a start backs up the embedded database before it migrates it. */
  migrationBackup: boolean
  sandboxExecutors: number
  /** Whether strategies on probation give way to everything else on the machine. */
  probationPriority: 'lowest' | 'normal'
  sandboxRunsPerIsolate: number
  sandboxJit: boolean
  /** Whether the service refuses to start where a layer of containment is missing. */
  demandsFullContainment: boolean
  /** Backtests that this node executes at the same time. */
  backtestExecutors: number
  /** Whether backtests give way to everything else on the machine. */
  backtestPriority: 'lowest' | 'normal'
  logLevel: LogLevel
  /** Who may create an account: invited people only, or anyone. */
  signUp: 'invitation' | 'open'
  /** Binary logarithm of the rounds of scrypt. Hashing a password takes 2^cost KiB of memory. */
  passwordCost: number
  /** Whether users may connect exchange accounts with keys that may withdraw. */
  allowWithdrawalKeys: boolean
  /** The most things of each kind that a user may have. */
  userLimits: Limits
  administrator: {
    email: string
    /** `null`: created at the first start and shown once. */
    password: string | null
    /** An HMAC key for automation, which the first start creates. */
    apiKey: { key: string; secret: string } | null
  }
  example: boolean
}

/** A setting is invalid. The message names the variable and its value. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

type Environment = Record<string, string | undefined>

/**
 * Reads and checks the environment.
 * @throws {ConfigError} for the first invalid variable. The message never quotes a secret.
 */
export function readConfig(env: Environment): Config {
  const port = wholeNumber(env, 'PORT', 3000, 0, 65_535)
  const host = text(env, 'HOST') ?? '127.0.0.1'
  const publicUrl = origin(env, 'PUBLIC_URL', ['http:', 'https:']) ?? addressOf(host, port)
  return {
    port,
    host,
    publicUrl,
    trustedProxies: trustedProxies(env),
    dataDir: resolve(text(env, 'DATA_DIR') ?? 'data'),
    databaseUrl: databaseUrl(env),
    databaseConnections: wholeNumber(env, 'DATABASE_CONNECTIONS', 10, 4, 20),
    roles: roleSet(env),
    masterKey: masterKey(env),
    smtpUrl: smtpUrl(env),
    mailFrom: mailFrom(env, publicUrl),
    heartbeatUrl: heartbeatUrl(env),
    telegram: telegram(env, publicUrl),
    httpAllow: httpAllow(env),
    market: market(env),
    exchangeEndpoints: exchangeEndpoints(env),
    webhookRate: wholeNumber(env, 'WEBHOOK_RATE', 50, 1, 1_000_000),
    webhookBurst: wholeNumber(env, 'WEBHOOK_BURST', 200, 1, 1_000_000),
    payloadByteLimit: wholeNumber(env, 'WEBHOOK_PAYLOAD_LIMIT', 256 * 1024, 1024, 16 * 1024 * 1024),
    liveStreamsOfUser: wholeNumber(env, 'LIVE_STREAMS_PER_USER', 100, 1, 100_000),
    liveStreamsOfNode: wholeNumber(env, 'LIVE_STREAMS', 10_000, 1, 100_000),
    timestampToleranceSeconds: wholeNumber(env, 'TIMESTAMP_TOLERANCE', 60, 1, 3600),
    retentionDays: wholeNumber(env, 'RETENTION_DAYS', 30, 1, 3650),
    seenCandles: wholeNumber(env, 'SEEN_CANDLES', 5_000_000, 0, 20_000_000),
    migrationBackup: oneOf(env, 'MIGRATION_BACKUP', ['0', '1'], '1') === '1',
    sandboxExecutors: wholeNumber(env, 'SANDBOX_EXECUTORS', 2, 1, 64),
    probationPriority: oneOf(env, 'PROBATION_PRIORITY', ['lowest', 'normal'], 'lowest'),
    sandboxRunsPerIsolate: wholeNumber(env, 'SANDBOX_RUNS_PER_ISOLATE', 10_000, 1, 1_000_000),
    backtestExecutors: wholeNumber(env, 'BACKTEST_EXECUTORS', 1, 1, 64),
    backtestPriority: oneOf(env, 'BACKTEST_PRIORITY', ['lowest', 'normal'], 'lowest'),
    sandboxJit: oneOf(env, 'SANDBOX_JIT', ['0', '1'], '1') === '1',
    demandsFullContainment: oneOf(env, 'CONTAINMENT', ['any', 'full'], 'any') === 'full',
    logLevel: oneOf(env, 'LOG_LEVEL', logLevels, 'info'),
    signUp: signUp(env),
    passwordCost: wholeNumber(env, 'PASSWORD_COST', 17, 14, 20),
    allowWithdrawalKeys: oneOf(env, 'ALLOW_WITHDRAWAL_KEYS', ['0', '1'], '1') === '1',
    userLimits: userLimits(env),
    administrator: administrator(env),
    example: oneOf(env, 'TICKWRIGHT_EXAMPLE', ['0', '1'], '1') === '1',
  }
}

/** An empty variable counts as not set, because compose files and shells clear a variable in this way. */
function text(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

/** A secret, which may be in a file instead: `NAME_FILE` names it. So it is in no list of processes or containers. */
function secretText(env: Environment, name: string): string | undefined {
  const [value, path] = [text(env, name), text(env, `${name}_FILE`)]
  if (path === undefined) return value
  if (value !== undefined) throw new ConfigError(`${name} and ${name}_FILE are both set. Set one of them.`)
  const file = readSecretFile(resolve(path))
  if ('value' in file) return file.value
  const remedy = file.remedy === undefined ? '' : ` Change that: ${file.remedy}`
  throw new ConfigError(`${name}_FILE names a file that ${file.problem}, got "${path}".${remedy}`)
}

function wholeNumber(env: Environment, name: string, fallback: number, least: number, most: number): number {
  const value = text(env, name)
  if (value === undefined) return fallback
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  if (!(number >= least && number <= most)) {
    throw new ConfigError(`${name} must be a whole number from ${least} to ${most}, got "${value}".`)
  }
  return number
}

function oneOf<T extends string>(env: Environment, name: string, allowed: readonly T[], fallback: T): T {
  const value = text(env, name)
  if (value === undefined) return fallback
  if (!(allowed as readonly string[]).includes(value)) {
    throw new ConfigError(`${name} must be one of ${allowed.join(', ')}, got "${value}".`)
  }
  return value as T
}

function origin(env: Environment, name: string, protocols: readonly string[]): string | undefined {
  const value = text(env, name)
  return value === undefined ? undefined : parseOrigin(name, value, protocols)
}

function parseOrigin(name: string, value: string, protocols: readonly string[]): string {
  const url = URL.parse(value)
  const plain = url !== null && url.pathname === '/' && !url.search && !url.hash && !url.username
  if (!plain || !protocols.includes(url.protocol)) {
    const forms = protocols.map((protocol) => `${protocol}//host[:port]`).join(' or ')
    throw new ConfigError(`${name} must be an origin such as ${forms} without a path, got "${value}".`)
  }
  return url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin
}

/** The default public address of this service. */
function addressOf(host: string, port: number): string {
  const address = `http://${hostForUrl(host)}:${port}`
  if (/[\s/?#@\\]/.test(host) || !URL.canParse(address)) {
    throw new ConfigError(`HOST must be a host name or an IP address, got "${host}".`)
  }
  return address
}

function hostForUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function databaseUrl(env: Environment): string | null {
  const value = secretText(env, 'DATABASE_URL')
  if (value === undefined) return null
  // The value may contain a password, so the messages show only its beginning.
  const shown = `got "${value.slice(0, 12)}…".`
  // libpq takes a list of hosts, but the driver would look for one host with this name.
  const host = /^postgres(?:ql)?:\/\/(?:[^/]*@)?([^/?]*)/.exec(value)?.[1]
  if (host?.includes(',')) throw new ConfigError(`DATABASE_URL must name one host, not a list, ${shown}`)
  const url = URL.parse(value)
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new ConfigError(`DATABASE_URL must start with postgres:// or postgresql://, ${shown}`)
  }
  return value
}

function smtpUrl(env: Environment): string | null {
  const value = secretText(env, 'SMTP_URL')
  if (value === undefined) return null
  const url = URL.parse(value)
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw new ConfigError(`SMTP_URL must start with smtp:// or smtps://, got "${value.slice(0, 8)}…".`)
  }
  if (!isDecodable(url.username) || !isDecodable(url.password)) {
    throw new ConfigError('SMTP_URL must have user name and password percent-encoded: % itself is %25.')
  }
  return value
}

/** Who knows the address can silence the alarm, so no message repeats it. */
function heartbeatUrl(env: Environment): string | null {
  const value = secretText(env, 'HEARTBEAT_URL')
  if (value === undefined) return null
  const url = URL.parse(value)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new ConfigError(`HEARTBEAT_URL must start with https:// or http://, got "${value.slice(0, 8)}…".`)
  }
  return url.href
}

/** Who knows the token is the bot, so no message repeats it. */
function telegram(env: Environment, publicUrl: string): TelegramConfig | null {
  const token = secretText(env, 'TELEGRAM_BOT_TOKEN')
  const updates = oneOf(env, 'TELEGRAM_UPDATES', ['polling', 'webhook'], 'polling')
  const apiRoot = origin(env, 'TELEGRAM_API_ROOT', ['https:', 'http:']) ?? 'https://api.telegram.org'
  if (token === undefined) return null
  if (!/^\d{5,16}:[\w-]{30,64}$/.test(token))
    throw new ConfigError(
      'TELEGRAM_BOT_TOKEN must be a token as @BotFather gives it, such as 123456789:AAE….',
    )
  if (updates === 'webhook' && !publicUrl.startsWith('https:'))
    throw new ConfigError(`TELEGRAM_UPDATES=webhook needs a PUBLIC_URL with https://, got "${publicUrl}".`)
  return { token, updates, apiRoot }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The default sender is on the service's own host, or on localhost if that is a bare IP address. */
function mailFrom(env: Environment, publicUrl: string): string {
  const value = text(env, 'MAIL_FROM')
  if (value === undefined) {
    const { hostname } = new URL(publicUrl)
    const isNumber = hostname.startsWith('[') || isIP(hostname) !== 0
    return `tickwright@${isNumber ? 'localhost' : hostname}`
  }
  if (!/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(value) || value.length > 254) {
    throw new ConfigError(`MAIL_FROM must be a bare e-mail address, got "${value}".`)
  }
  return value
}

function roleSet(env: Environment): ReadonlySet<Role> {
  const value = text(env, 'ROLES')
  if (value === undefined) return new Set(roles)
  const named = value.split(',').map((part) => part.trim())
  const unknown = named.find((part) => !(roles as readonly string[]).includes(part))
  if (unknown !== undefined) {
    throw new ConfigError(`ROLES must be a comma-separated list of ${roles.join(', ')}, got "${value}".`)
  }
  return new Set(named as Role[])
}

function masterKey(env: Environment): Buffer | null {
  const value = secretText(env, 'MASTER_KEY')
  if (value === undefined) return null
  const key = /^[0-9a-f]{64}$/i.test(value) ? Buffer.from(value, 'hex') : Buffer.from(value, 'base64')
  if (key.length !== 32) {
    throw new ConfigError(
      `MASTER_KEY must be 32 bytes in hex or Base64 (openssl rand -hex 32), got ${key.length} bytes.`,
    )
  }
  return key
}

function httpAllow(env: Environment): ReadonlySet<string> {
  const value = text(env, 'HTTP_ALLOW')
  if (value === undefined) return new Set()
  return new Set(
    value.split(',').map((part) => {
      const entry = part.trim().toLowerCase()
      const match = /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+):(\d{1,5})$/.exec(entry)
      if (match === null || Number(match[2]) < 1 || Number(match[2]) > 65_535) {
        throw new ConfigError(`HTTP_ALLOW must be a comma-separated list of host:port, got "${value}".`)
      }
      return entry
    }),
  )
}

function trustedProxies(env: Environment): string[] {
  const value = text(env, 'TRUSTED_PROXIES')
  if (value === undefined) return []
  return value.split(',').map((part) => {
    if (!isNetwork(part.trim())) {
      throw new ConfigError(
        `TRUSTED_PROXIES must be a comma-separated list of IP addresses or networks such as 10.0.0.0/8, got "${value}".`,
      )
    }
    return part.trim()
  })
}

/** Open sign-up sends a link to each new user, so it needs a mail server. */
function signUp(env: Environment): Config['signUp'] {
  const mode = oneOf(env, 'SIGN_UP', ['invitation', 'open'], 'invitation')
  if (mode === 'open' && secretText(env, 'SMTP_URL') === undefined) {
    throw new ConfigError('SIGN_UP needs SMTP_URL, because new users get a link by mail, got "open".')
  }
  return mode
}

function userLimits(env: Environment): Limits {
  const value = text(env, 'USER_LIMITS')
  if (value === undefined) return { ...defaultLimits }
  const limits = parseLimits(value)
  if (limits !== undefined) return limits
  const names = Object.keys(defaultLimits).join(', ')
  throw new ConfigError(
    `USER_LIMITS must be a comma-separated list of name:number, with numbers from 1 to 1000000 and names of ${names}, got "${value}".`,
  )
}

function market(env: Environment): MarketConfig {
  const value = text(env, 'MARKET') ?? 'live'
  const speed = marketSpeed(env)
  if (value === 'live' || value === 'sim') return { kind: value }
  if (!/\.csv$/i.test(value)) {
    throw new ConfigError(`MARKET must be live, sim, or the path of a candle file (….csv), got "${value}".`)
  }
  const file = resolve(value)
  const problem = problemOfFile(file)
  if (problem !== null) throw new ConfigError(`MARKET names a candle file that ${problem}, got "${value}".`)
  return { kind: 'replay', file, speed }
}

/** Why a file cannot be read, to complete “a file that …”; `null`: it can be read. */
function problemOfFile(path: string): string | null {
  try {
    accessSync(path, constants.R_OK)
    return statSync(path).isFile() ? null : 'is no file'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
  }
}

const slowest = 0.001
const fastest = 1_000_000

function marketSpeed(env: Environment): number {
  const value = text(env, 'MARKET_SPEED')
  if (value === undefined) return 1
  const speed = /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN
  if (!(speed >= slowest && speed <= fastest)) {
    throw new ConfigError(`MARKET_SPEED must be a number from ${slowest} to ${fastest}, got "${value}".`)
  }
  return speed
}

function exchangeEndpoints(env: Environment): Config['exchangeEndpoints'] {
  const value = text(env, 'EXCHANGE_ENDPOINTS')
  if (value === undefined) return {}
  const shape = 'a JSON object such as {"binance":{"rest":"http://host:port","ws":"ws://host:port"}}'
  const refuse = () => new ConfigError(`EXCHANGE_ENDPOINTS must be ${shape}, got "${value.slice(0, 100)}".`)
  let parsed: unknown
  try {
    parsed = JSON.parse(value)
  } catch {
    throw refuse()
  }
  if (!isRecord(parsed)) throw refuse()
  const entries = Object.entries(parsed).map(([exchange, endpoints]) => {
    if (!isRecord(endpoints)) throw refuse()
    const { unlimited = false, ...addresses } = endpoints
    const isKnown = Object.keys(addresses).every((key) => key === 'rest' || key === 'ws')
    if (!isKnown || typeof unlimited !== 'boolean') throw refuse()
    if (unlimited && Object.keys(addresses).length < 2)
      throw new ConfigError(`EXCHANGE_ENDPOINTS (${exchange}.unlimited) needs rest and ws, got "${value}".`)
    const origin = (kind: 'rest' | 'ws', protocols: string[]) => {
      const address = addresses[kind]
      if (address === undefined) return {}
      if (typeof address !== 'string') throw refuse()
      return { [kind]: parseOrigin(`EXCHANGE_ENDPOINTS (${exchange}.${kind})`, address, protocols) }
    }
    const read = { ...origin('rest', ['http:', 'https:']), ...origin('ws', ['ws:', 'wss:']) }
    return [exchange, unlimited ? { ...read, unlimited } : read] as const
  })
  return Object.fromEntries(entries)
}

function administrator(env: Environment): Config['administrator'] {
  const email = text(env, 'TICKWRIGHT_ADMIN_EMAIL') ?? placeholderEmail
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254) {
    throw new ConfigError(`TICKWRIGHT_ADMIN_EMAIL must be an e-mail address, got "${email}".`)
  }
  const password = secretText(env, 'TICKWRIGHT_ADMIN_PASSWORD') ?? null
  if (password !== null && password.length < 12) {
    throw new ConfigError(
      `TICKWRIGHT_ADMIN_PASSWORD must have at least 12 characters, got ${password.length}.`,
    )
  }
  const key = text(env, 'TICKWRIGHT_ADMIN_API_KEY')
  const secret = secretText(env, 'TICKWRIGHT_ADMIN_API_SECRET')
  if ((key === undefined) !== (secret === undefined)) {
    const missing = key === undefined ? 'TICKWRIGHT_ADMIN_API_KEY' : 'TICKWRIGHT_ADMIN_API_SECRET'
    throw new ConfigError(
      `TICKWRIGHT_ADMIN_API_KEY and TICKWRIGHT_ADMIN_API_SECRET go together; ${missing} is not set.`,
    )
  }
  if (key === undefined || secret === undefined) return { email, password, apiKey: null }
  if (!/^[\x21-\x7e]{8,128}$/.test(key)) {
    throw new ConfigError(
      `TICKWRIGHT_ADMIN_API_KEY must be 8 to 128 visible ASCII characters, got "${key.slice(0, 8)}…".`,
    )
  }
  if (secret.length < 16) {
    throw new ConfigError(
      `TICKWRIGHT_ADMIN_API_SECRET must have at least 16 characters, got ${secret.length}.`,
    )
  }
  return { email, password, apiKey: { key, secret } }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
