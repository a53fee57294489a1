import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { UserLimits } from '../db/user-limits.ts'
import { Mailer } from '../mail/mailer.ts'
import { startMail, tellOfMail } from '../mail/start.ts'
import type { Metrics } from '../ops/metrics.ts'
import type { OutgoingHttp } from '../outgoing/outgoing-http.ts'
import type { Vault } from '../secrets/vault.ts'
import { Endpoints } from './endpoints.ts'
import { Notifications } from './notifications.ts'
import { startNotifications, tellOfNotifications } from './start.ts'
import { Subscribers } from './subscribers.ts'

export type NewsParts = {
  config: Pick<Config, 'roles' | 'smtpUrl' | 'mailFrom'>
  database: Database
  vault: Vault
  limits: UserLimits
  http: Pick<OutgoingHttp, 'deliver' | 'check'>
  metrics: Metrics
  logger: Logger
}

/** The ways to inform users: by mail, and by notifications to their own addresses. */
export type News = AsyncDisposable & {
  mailer: Mailer
  endpoints: Endpoints
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
  // A node that sends wakes itself; another node wakes those that send.
  let wakePostman = () => tellOthers(tellOfMail(database))
  let wakeCourier = () => tellOthers(tellOfNotifications(database))
  const tellOthers = (told: Promise<void>) => {
    told.catch((err: unknown) => logger.error({ err }, 'senders not told of news'))
  }
  const mailer = new Mailer({ database, vault, onMail: () => wakePostman() })
  const subscribers = await Subscribers.open(database, {
    onError: (err) => logger.error({ err }, 'subscribers not read'),
  })
  acquired.defer(() => subscribers.close())
  if (isSender) {
    const postman = await startMail({ config, database, vault, metrics, logger })
    acquired.defer(() => postman.stop())
    wakePostman = () => postman.wake()
    const courier = await startNotifications({ database, vault, http, mailer, metrics, logger })
    acquired.defer(() => courier.stop())
    wakeCourier = () => courier.wake()
  }
  const onWaiting = () => wakeCourier()
  const endpoints = new Endpoints({
    database,
    vault,
    limits,
    checkUrl: (url) => http.check(url),
    onSubscribers: () => subscribers.read(),
    onWaiting,
  })
  const kept = acquired.move()
  return {
    mailer,
    endpoints,
    notifications: new Notifications(database, onWaiting),
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
