/** How others reach the service, and how the service reaches them by mail. */

import { openTelegram } from '../../chat/telegram.ts'
import type { Config } from '../../config.ts'
import { Smtp } from '../../mail/smtp.ts'
import { checkAddress } from '../address.ts'
import { type Finding, wordsOf } from './finding.ts'

const timeoutMs = 5_000

/** Whether the service can listen, or does so already, and whether senders reach it at its public address. */
export async function address(config: Config): Promise<Finding[]> {
  const { host, port, publicUrl } = config
  const about = 'address'
  const own = `http://${isEverywhere(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`
  if (await answers(own)) {
    return [{ about, state: 'good', text: `The service runs at ${own}.` }, await reached(publicUrl, own)]
  }
  try {
    await checkAddress(config)
  } catch (error) {
    return [{ about, state: 'bad', text: (error as Error).message }]
  }
  return [
    { about, state: 'good', text: `The service does not run. It would listen at ${own}.` },
    {
      about: 'public address',
      state: 'note',
      text: `${publicUrl} can be tried only while the service runs.`,
    },
  ]
}

async function reached(publicUrl: string, own: string): Promise<Finding> {
  const about = 'public address'
  const { hostname } = new URL(publicUrl)
  if (isHere(hostname)) {
    return {
      ...{
        about,
        state: 'note',
        text: `Webhook URLs start with ${publicUrl}, which only this machine reaches.`,
      },
      remedy: 'To get alerts from outside, set PUBLIC_URL=https://your.domain (docs/operations.md)',
    }
  }
  if (await answers(publicUrl)) return { about, state: 'good', text: `${publicUrl} reaches the service.` }
  return {
    ...{ about, state: 'bad', text: `${publicUrl} does not reach the service from this machine.` },
    remedy: `The proxy of that address must pass requests on to ${own}`,
  }
}

/** Whether a Tickwright service answers at this address. */
async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(timeoutMs) })
    const { status } = (await response.json()) as { status?: unknown }
    return response.status === 200 && status === 'live'
  } catch {
    return false
  }
}

/** What the settings say about a proxy before the service. */
export function proxy({ host, publicUrl, trustedProxies }: Config): Finding {
  const about = 'proxy'
  const isEncrypted = publicUrl.startsWith('https:')
  if (isEncrypted && trustedProxies.length === 0) {
    return {
      ...{ about, state: 'bad', text: 'All senders look like the proxy, and share its limits.' },
      remedy: 'Name the address of the proxy: TRUSTED_PROXIES=127.0.0.1',
    }
  }
  if (!isEncrypted && !isHere(host)) {
    return {
      ...{ about, state: 'note', text: 'Passwords and keys reach the service without encryption.' },
      remedy: 'Put a proxy with TLS before the service (docs/operations.md)',
    }
  }
  const text = isEncrypted ? `Trusted: ${trustedProxies.join(', ')}.` : 'None, and none is needed here.'
  return { about, state: 'good', text }
}

export async function mail({ smtpUrl, mailFrom }: Config): Promise<Finding> {
  const about = 'mail'
  if (smtpUrl === null) {
    return {
      ...{ about, state: 'note', text: 'No mail is sent. Administrators see what would be sent.' },
      remedy: 'SMTP_URL=smtps://user:password@mail.example.com',
    }
  }
  const { host } = new URL(smtpUrl)
  const smtp = new Smtp(smtpUrl, mailFrom)
  try {
    await smtp.verify()
    return { about, state: 'good', text: `${host} lets the service in. Mail comes from ${mailFrom}.` }
  } catch (error) {
    return {
      ...{ about, state: 'bad', text: `${host} does not let the service in: ${wordsOf(error)}.` },
      remedy: 'Correct SMTP_URL: user name and password percent-encoded, smtps:// for port 465',
    }
  } finally {
    smtp.close()
  }
}

/** Whether Telegram knows the bot of the service. The finding names no token. */
export async function chat({ telegram }: Config): Promise<Finding> {
  const about = 'chat'
  if (telegram === null) {
    return {
      ...{ about, state: 'note', text: 'There is no Telegram bot.' },
      remedy: 'TELEGRAM_BOT_TOKEN=123456789:AAE… as @BotFather gives it (docs/chat.md)',
    }
  }
  try {
    const { username } = await (await openTelegram(telegram)).me()
    return {
      about,
      state: 'good',
      text: `Telegram knows the bot @${username}, which uses ${telegram.updates}.`,
    }
  } catch (error) {
    return {
      ...{ about, state: 'bad', text: wordsOf(error) },
      remedy: `Correct TELEGRAM_BOT_TOKEN, or let this machine reach ${telegram.apiRoot}`,
    }
  }
}

const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::'

const isHere = (host: string) =>
  host === 'localhost' || host.startsWith('127.') || host === '::1' || host === '[::1]'
