import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { UserLimits } from '../db/user-limits.ts'
import { Mailer } from '../mail/mailer.ts'
import { startMail, tellOfMail } from '../mail/start.ts'
import type { Metrics } from '../ops/metrics.ts'
import type { OutgoingHttp } from '../outgoing/outgoing-http.ts'
import type { Vault } from '../secrets/vault.ts'
import { CallbackHosts } from './callback-hosts.ts'
import { DigestWriter } from './digest/writer.ts'
import { Endpoints } from './endpoints.ts'
import { Notifications } from './notifications.ts'
import { startNotifications, tellOfNotifications } from './start.ts'
import { Subscribers } from './subscribers.ts'

export type NewsParts = {
  config: Pick<Config, 'roles' | 'smtpUrl' | 'mailFrom'>
  database: Database
  vault: Vault
  limits: UserLimits
  http: Pick<OutgoingHttp, 'deliver' | 'check' | 'checkSecure'>
  metrics: Metrics
  logger: Logger
}

/** The ways to inform users: by mail, and by notifications to their own addresses. */
export type News = AsyncDisposable & {
  mailer: Mailer
  endpoints: Endpoints
  callbackHosts: CallbackHosts
  notifications: Notifications
  /** For the code that writes events: which users get notifications. */
  audience: {
    hears(userId: number): boolean
    /** Whether any user has an endpoint. */
    hearsAny(): boolean
    onTold(): void
  }
}

/** Stores mail and notifications, and with the role `worker` sends them. */
export async function openNews(parts: NewsParts): Promise<News> {
  await using acquired = new AsyncDisposableStack()
  const { config, database, vault, limits, http, metrics, logger } = parts
  const isSender = config.roles.has('worker')
  /** A node that sends wakes itself. Any other node wakes those that send. */
  const others = (announce: () => Promise<void>) => () => {
    announce().catch((err: unknown) => logger.error({ err }, 'senders not told of news'))
  }
  const postman = isSender ? await startMail({ config, database, vault, metrics, logger }) : null
  if (postman !== null) acquired.defer(() => postman.stop())
  const wakePostman = postman === null ? others(() => tellOfMail(database)) : () => postman.wake()
  const mailer = new Mailer({ database, vault, onMail: wakePostman })
  const courier = isSender
    ? await startNotifications({ database, vault, http, mailer, metrics, logger })
    : null
  if (courier !== null) acquired.defer(() => courier.stop())
  const wakeCourier = courier === null ? others(() => tellOfNotifications(database)) : () => courier.wake()
  if (isSender) {
    const onError = (err: unknown) => logger.error({ err }, 'digests not written')
    const digests = new DigestWriter({ database, onTold: wakeCourier, onError })
    digests.start()
    acquired.defer(() => digests.stop())
  }
  const subscribers = await Subscribers.open(database, {
    onError: (err) => logger.error({ err }, 'subscribers not read'),
  })
  acquired.defer(() => subscribers.close())
  const endpoints = new Endpoints({
    database,
    vault,
    limits,
    checkUrl: (url) => http.check(url),
    checkSecureUrl: (url) => http.checkSecure(url),
    hasMail: config.smtpUrl !== null,
    onSubscribers: () => subscribers.read(),
    onWaiting: wakeCourier,
  })
  const kept = acquired.move()
  return {
    mailer,
    endpoints,
    callbackHosts: new CallbackHosts({ database, vault, limits, checkUrl: (url) => http.checkSecure(url) }),
    notifications: new Notifications(database, wakeCourier),
    audience: {
      hears: (userId) => subscribers.has(userId),
      hearsAny: () => !subscribers.isEmpty,
      onTold: () => {
        wakePostman()
        wakeCourier()
      },
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
