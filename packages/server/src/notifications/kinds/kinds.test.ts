import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../base/errors.ts'
import type { ChatAnswer, ChatFields, Verdict } from './kind.ts'
import { type ChatKindName, chatKinds, checkPlace, receiverOf } from './kinds.ts'

/** Fields that each kind accepts. */
export const places = {
  telegram: { token: `123456789:AA${'e'.repeat(33)}`, chat_id: '-1001234567890', thread_id: '7' },
  discord: {
    url: `https://discord.com/api/webhooks/123456789012345678/${'Tk_-'.repeat(17)}`,
    thread_id: '876543210987654321',
  },
  slack: { url: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX' },
  ntfy: { url: 'https://ntfy.sh/my-secret-topic', token: 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2' },
  pushover: { token: 'a'.repeat(30), user_key: 'u'.repeat(30), device: 'phone' },
} satisfies Record<ChatKindName, ChatFields>

const names = Object.keys(chatKinds) as ChatKindName[]
const requestOf = (name: ChatKindName, title: string, ...lines: string[]) =>
  chatKinds[name].request(places[name], { title, lines }, false)

test('each kind makes the request of its service', () => {
  const told = (name: ChatKindName) => {
    const { url, headers, body } = requestOf(name, 'Bought 1 A/B', 'Bot C, paper')
    return [url.href, headers, body]
  }
  const { telegram, discord, slack, ntfy, pushover } = places
  assert.deepEqual(told('telegram'), [
    `https://api.telegram.org/bot${telegram.token}/sendMessage`,
    undefined,
    {
      ...{ chat_id: telegram.chat_id, message_thread_id: 7, text: '<b>Bought 1 A/B</b>\nBot C, paper' },
      ...{ parse_mode: 'HTML', link_preview_options: { is_disabled: true } },
    },
  ])
  assert.deepEqual(told('discord'), [
    `${discord.url}?wait=true&thread_id=${discord.thread_id}`,
    undefined,
    { content: '**Bought 1 A/B**\nBot C, paper', allowed_mentions: { parse: [] }, flags: 4 },
  ])
  const text = 'Bought 1 A/B\nBot C, paper'
  assert.deepEqual(told('slack'), [
    slack.url,
    undefined,
    {
      text,
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }],
      ...{ unfurl_links: false, unfurl_media: false },
    },
  ])
  assert.deepEqual(told('ntfy'), [
    'https://ntfy.sh/',
    { authorization: `Bearer ${ntfy.token}` },
    { topic: 'my-secret-topic', title: 'Bought 1 A/B', message: 'Bot C, paper' },
  ])
  assert.deepEqual(told('pushover'), [
    'https://api.pushover.net/1/messages.json',
    undefined,
    {
      ...{ token: pushover.token, user: pushover.user_key, device: 'phone' },
      ...{ title: 'Bought 1 A/B', message: 'Bot C, paper' },
    },
  ])
})

test('a silent message asks its service for no sound', () => {
  const silent = names
    .filter((name) => chatKinds[name].canBeSilent)
    .map((name) => chatKinds[name].request(places[name], { title: 'Hm', lines: [] }, true).body)
  assert.deepEqual(
    silent.map(({ disable_notification, flags, priority }) => disable_notification ?? flags ?? priority),
    [true, 4_100, 2, -1],
  )
})

test('texts of others become neither mentions nor links nor markup', () => {
  const hostile =
    '@everyone <@123> <!channel> <https://evil.example|click> [x](https://evil.example) <b>&amp; *b* _i_ `c` ~s~ ||x|| www.evil.example /start'
  for (const name of names) {
    const shown = JSON.stringify(requestOf(name, hostile, hostile).body)
    // The other two show every text as it is.
    if (!['ntfy', 'pushover'].includes(name)) assert.doesNotMatch(shown, /(?<!\\)<(?:[@!]|https?)/)
    for (const bad of [/@everyone/, /:\/\/evil/, /evil\.example/, / \/start/]) {
      assert.doesNotMatch(shown, bad, `${name}: ${bad}`)
    }
  }
  const { text } = requestOf('telegram', 'a<b>&').body
  assert.equal(text, '<b>a&lt;b&gt;&amp;</b>')
  assert.equal(requestOf('discord', '*a*_b_').body.content, '**\\*a\\*\\_b\\_**')
  const slack = requestOf('slack', '*a*').body.text
  assert.equal(slack, '\u2060*\u2060a\u2060*\u2060')
  // People read the same text.
  assert.equal(String(requestOf('ntfy', hostile).body.title).replaceAll('\u2060', ''), hostile)
})

test('no message is longer than its service takes, whatever has to be escaped', () => {
  for (const character of ['<', '@', '*', '\\', '.', '💥', 'é']) {
    const title = character.repeat(120 / character.length)
    const lines = Array.from({ length: 5 }, () => character.repeat(160 / character.length))
    const body = (name: ChatKindName) => requestOf(name, title, ...lines).body as Record<string, string>
    // Telegram counts after it has parsed the entities.
    const parsed = body('telegram')
      .text!.replaceAll(/<\/?b>/g, '')
      .replaceAll(/&\w+;/g, '.')
    assert.ok(parsed.length <= 4_096)
    assert.ok(body('discord').content!.length <= 2_000)
    assert.ok(body('slack').text!.length <= 3_000, `${body('slack').text!.length}`)
    assert.ok(Buffer.byteLength(body('ntfy').message!) <= 4_096)
    assert.ok(body('pushover').message!.length <= 1_024)
    assert.ok(body('pushover').title!.length <= 250)
  }
})

/** The answers of the services, in the shapes of their documents. */
const answers: [name: ChatKindName, answer: Partial<ChatAnswer>, verdict: Verdict][] = [
  [
    'telegram',
    {
      status: 403,
      body: { ok: false, error_code: 403, description: 'Forbidden: bot was blocked by the user' },
    },
    { is: 'gone', detail: 'Forbidden: bot was blocked by the user' },
  ],
  [
    'telegram',
    { status: 401, body: { description: 'Unauthorized' } },
    { is: 'gone', detail: 'Unauthorized' },
  ],
  [
    'telegram',
    { status: 400, body: { description: 'Bad Request: chat not found' } },
    { is: 'gone', detail: 'Bad Request: chat not found' },
  ],
  [
    'telegram',
    {
      status: 400,
      body: {
        description: 'Bad Request: group chat was upgraded',
        parameters: { migrate_to_chat_id: -1009 },
      },
    },
    { is: 'gone', detail: 'the group has become a supergroup: its chat_id is -1009 now' },
  ],
  [
    'telegram',
    {
      status: 429,
      body: { description: 'Too Many Requests: retry after 34', parameters: { retry_after: 34 } },
    },
    { is: 'busy', detail: 'Too Many Requests: retry after 34', waitMs: 34_000 },
  ],
  ['telegram', { status: 403, start: 'a proxy' }, { is: 'refused', detail: '' }],
  [
    'telegram',
    { status: 502, body: { description: 'Bad Gateway' } },
    { is: 'refused', detail: 'Bad Gateway' },
  ],
  [
    'discord',
    { status: 404, body: { message: 'Unknown Webhook', code: 10_015 } },
    { is: 'gone', detail: 'Unknown Webhook' },
  ],
  [
    'discord',
    { status: 401, body: { message: 'Invalid Webhook Token', code: 50_027 } },
    { is: 'gone', detail: 'Invalid Webhook Token' },
  ],
  [
    'discord',
    {
      status: 429,
      headers: { 'retry-after': '1' },
      body: { message: 'Limited.', retry_after: 0.65, global: false },
    },
    { is: 'busy', detail: 'Limited.', waitMs: 650 },
  ],
  ['discord', { status: 404, start: 'not found' }, { is: 'refused', detail: '' }],
  ['slack', { status: 404, start: 'no_service' }, { is: 'gone', detail: 'no_service' }],
  ['slack', { status: 410, start: 'channel_is_archived' }, { is: 'gone', detail: 'channel_is_archived' }],
  ['slack', { status: 400, start: 'invalid_payload' }, { is: 'refused', detail: 'invalid_payload' }],
  [
    'slack',
    { status: 429, headers: { 'retry-after': '30' }, start: 'rate_limited' },
    { is: 'busy', detail: 'rate_limited', waitMs: 30_000 },
  ],
  ['slack', { status: 500, start: '<html>rollup</html>' }, { is: 'refused', detail: '' }],
  [
    'ntfy',
    { status: 403, body: { code: 40_301, http: 403, error: 'forbidden' } },
    { is: 'gone', detail: 'forbidden' },
  ],
  [
    'ntfy',
    { status: 429, body: { code: 42_901, http: 429, error: 'limit reached: too many requests' } },
    { is: 'busy', detail: 'limit reached: too many requests', waitMs: null },
  ],
  ['ntfy', { status: 403, start: 'a firewall' }, { is: 'refused', detail: '' }],
  [
    'pushover',
    { status: 400, body: { user: 'invalid', errors: ['user identifier is invalid'], status: 0 } },
    { is: 'gone', detail: 'user identifier is invalid' },
  ],
  [
    'pushover',
    { status: 429, headers: { 'x-limit-app-reset': '1060' }, body: { errors: ['over quota'], status: 0 } },
    { is: 'busy', detail: 'over quota', waitMs: 60_000 },
  ],
  ['pushover', { status: 500, body: { status: 0 } }, { is: 'refused', detail: '' }],
]

test('a kind knows when its service wants a pause, and when it wants nothing more', () => {
  for (const [name, answer, verdict] of answers) {
    const whole = { headers: {}, start: '', body: {}, status: 500, nowMs: 1_000_000, ...answer }
    assert.deepEqual(chatKinds[name].verdict(whole), verdict, `${name} ${whole.status}`)
  }
})

test('no verdict fails over an answer of another shape', () => {
  const bodies = [
    { parameters: null, errors: null },
    { parameters: { retry_after: 'soon' } },
    { retry_after: -1 },
    { code: {}, errors: [{}] },
  ]
  for (const name of names) {
    for (const status of [400, 401, 403, 404, 410, 429, 500]) {
      for (const body of bodies) {
        const { is } = chatKinds[name].verdict({
          status,
          headers: { 'retry-after': 'x' },
          start: '',
          body,
          nowMs: 0,
        })
        assert.ok(['gone', 'busy', 'refused'].includes(is))
      }
    }
  }
})

test('fields are checked by kind, and an error names the field', () => {
  const fails = (kind: ChatKindName | 'webhook' | 'email', fields: ChatFields, message: RegExp) =>
    assert.throws(
      () => checkPlace(kind, fields),
      (error) => error instanceof AppError && error.code === 'request_invalid' && message.test(error.message),
    )
  for (const name of names) checkPlace(name, places[name])
  checkPlace('webhook', { url: 'https://example.com/' })
  checkPlace('email', {})
  fails(
    'email',
    { url: 'https://example.com/' },
    /body\.url is not a field of the kind email, which has none/,
  )
  fails('webhook', {}, /body\.url is required for the kind webhook/)
  fails('webhook', { url: 'https://example.com/', token: 'x' }, /body\.token is not a field/)
  fails('telegram', { token: places.telegram.token }, /body\.chat_id is required/)
  fails('telegram', { ...places.telegram, token: 'abc' }, /body\.token must be the token of a bot/)
  fails('telegram', { ...places.telegram, chat_id: 'https://t.me/x' }, /body\.chat_id must be the number/)
  fails('telegram', { ...places.telegram, url: 'https://x.example' }, /body\.url is not a field/)
  fails('discord', { url: 'https://discord.com/channels/1/2' }, /body\.url must be the address of a webhook/)
  fails('slack', { url: 'https://hooks.slack.com/' }, /body\.url must be the address/)
  fails('ntfy', { url: 'https://ntfy.sh/a/b' }, /body\.url must be the address of a topic/)
  fails('pushover', { ...places.pushover, user_key: 'me' }, /body\.user_key must be the key/)
})

test('the name of a receiver contains no secret', () => {
  for (const name of names) {
    const shown = receiverOf(name, places[name])
    for (const secret of ['AAee', 'Tk_-', 'XXXX', 'my-secret', 'tk_', 'aaaa', 'uuuu']) {
      assert.ok(!shown.includes(secret), shown)
    }
  }
})
