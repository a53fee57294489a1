/** Programs that post to a webhook, for people to copy, and what they need to know about each. */

import type { AlertFormat } from './form.ts'

export type Snippet = {
  id: string
  name: string
  text: string
  /** What to do, and where the password goes. */
  notes: string[]
  /** Why it would not work now. */
  warning?: string
}

type Address = {
  url: string
  kind: 'data' | 'bot'
  /** Of a bot webhook. Default: our own. */
  format?: AlertFormat
  needsKey: boolean
  keyFrom: 'header' | 'header_or_body'
}

/** What stands for the password: the service never shows it. */
const password = 'YOUR_PASSWORD'

/** A payload in the words of each format. */
const signals: Record<AlertFormat, object> = {
  tickwright: { symbol: 'BTC/USDT', side: 'BUY' },
  tradingview: { ticker: 'BTCUSDT', action: 'buy' },
  '3commas': { tv_instrument: 'BTCUSDT', action: 'enter_long' },
  traderspost: { ticker: 'BTCUSDT', action: 'buy' },
  openalgo: { symbol: 'BTCUSDT', action: 'BUY', pricetype: 'MARKET' },
  freqtrade: { event: 'entry_fill', pair: 'BTC/USDT', direction: 'Long' },
}

/** What a webhook takes, as an example. */
export function payloadFor({ kind, format = 'tickwright' }: Pick<Address, 'kind' | 'format'>): object {
  return kind === 'data' ? { price: 100 } : signals[format]
}

/** The messages of alerts on strategies, with TradingView's placeholders. */
const messages: Partial<Record<AlertFormat, string>> = {
  tradingview: [
    '{"ticker": "{{ticker}}", "action": "{{strategy.order.action}}", "contracts": "{{strategy.order.contracts}}"',
    ' "price": "{{strategy.order.price}}", "market_position": "{{strategy.market_position}}"',
    ' "market_position_size": "{{strategy.market_position_size}}", "id": "{{strategy.order.id}}"',
    ' "timestamp": "{{timenow}}", "max_lag": 60}',
  ].join(','),
  tickwright:
    '{"symbol": "{{ticker}}", "side": "{{strategy.market_position}}", "id": "{{strategy.order.id}}"}',
}

export function snippetsFor(address: Address): Snippet[] {
  const { url, needsKey, keyFrom } = address
  const json = JSON.stringify(payloadFor(address))
  const header = needsKey ? ` \\\n  -H 'x-key: ${password}'` : ''
  const jsKey = needsKey ? `, 'x-key': '${password}'` : ''
  const pyKey = needsKey ? `, headers={"x-key": "${password}"}` : ''
  const notes = keyNotes(needsKey, keyFrom)
  return [
    {
      id: 'curl',
      name: 'curl',
      text: `curl -d '${json}' \\\n  -H 'content-type: application/json'${header} \\\n  ${url}`,
      notes,
    },
    {
      id: 'javascript',
      name: 'JavaScript',
      text: [
        `const response = await fetch('${url}', {`,
        "  method: 'POST',",
        `  headers: { 'content-type': 'application/json'${jsKey} },`,
        `  body: JSON.stringify(${json}),`,
        '})',
        'console.log(response.status, await response.json())',
      ].join('\n'),
      notes,
    },
    {
      id: 'python',
      name: 'Python',
      text: `import requests\n\nresponse = requests.post("${url}", json=${json}${pyKey})\nprint(response.status_code, response.json())`,
      notes,
    },
    tradingView(address),
    metaTrader(address, json),
  ]
}

/** The address has a key in its path. A password comes besides it. */
function keyNotes(needsKey: boolean, keyFrom: Address['keyFrom']): string[] {
  const inPath = 'The last part of the address is the key of this webhook: nothing else goes into the URL.'
  if (!needsKey) return [inPath]
  const where =
    keyFrom === 'header'
      ? 'The password goes into the header x-key.'
      : 'The password goes into the header x-key, or into the payload as "key". The service removes it from the payload.'
  return [inPath, where]
}

/** TradingView sends no headers of its users, so the password goes into the message. */
function tradingView({ url, kind, format = 'tickwright', needsKey, keyFrom }: Address): Snippet {
  const ofBot = messages[format]
  const message =
    kind === 'data'
      ? '{"ticker": "{{ticker}}", "price": {{close}}, "time": "{{timenow}}"}'
      : (ofBot ?? JSON.stringify(payloadFor({ kind, format })))
  const withKey = needsKey ? message.replace('{', `{"key": "${password}", `) : message
  return {
    id: 'tradingview',
    name: 'TradingView',
    text: `Webhook URL:\n${url}\n\nMessage:\n${withKey}`,
    notes: [
      'In the dialog of the alert, tick Webhook URL under Notifications and paste the address there. Paste the message under Message.',
      'The last part of the address is the key of this webhook: it belongs into the URL, and nowhere else.',
      ...(needsKey
        ? ['TradingView cannot send a header, so the password goes into the message as "key".']
        : []),
      'TradingView gives up after 3 seconds. The service answers as soon as it has stored the alert, so what runs with it has more time.',
      'TradingView reaches only addresses in the internet, on port 80 or 443.',
      ...(kind === 'bot' ? [messageNote(format, ofBot !== undefined)] : []),
    ],
    ...(needsKey && keyFrom === 'header'
      ? {
          warning:
            'TradingView cannot send a header. Set “Key from” of this webhook to “Header or body” first.',
        }
      : {}),
  }
}

function messageNote(format: AlertFormat, isForStrategies: boolean): string {
  if (!isForStrategies)
    return 'Write the message in the words of that service. What no bot can do is refused, and the answer names it.'
  return format === 'tradingview'
    ? 'This message is for an alert on a strategy. For an alert on an indicator, leave out what begins with "strategy", and write "buy", "sell" or "exit" as the action.'
    : 'This message is for an alert on a strategy. For an alert on an indicator, write "BUY", "SELL" or "EXIT" as the side.'
}

/** A function of MQL5, which MetaTrader 5 allows to reach only listed addresses. */
function metaTrader({ url, needsKey, keyFrom }: Address, json: string): Snippet {
  const headers = `Content-Type: application/json\\r\\n${needsKey ? `x-key: ${password}\\r\\n` : ''}`
  const { origin } = new URL(url)
  return {
    id: 'metatrader',
    name: 'MetaTrader 5',
    text: [
      'void SendToWebhook()',
      '{',
      `   string headers = "${headers}";`,
      `   string payload = "${json.replaceAll('"', '\\"')}";`,
      '   char body[], answer[];',
      '   string answerHeaders;',
      '   // Without the zero at the end of the text.',
      '   StringToCharArray(payload, body, 0, WHOLE_ARRAY, CP_UTF8);',
      '   ArrayResize(body, ArraySize(body) - 1);',
      `   int status = WebRequest("POST", "${url}", headers, 5000, body, answer, answerHeaders);`,
      '   if(status != 202)',
      '      Print("Webhook: ", status, " ", CharArrayToString(answer, 0, WHOLE_ARRAY, CP_UTF8), " ", GetLastError());',
      '}',
    ].join('\n'),
    notes: [
      `Under Tools, Options, Expert Advisors, allow WebRequest for ${origin}. Otherwise, the status is -1.`,
      'WebRequest works in expert advisors and scripts, and not in indicators or the strategy tester.',
      ...keyNotes(needsKey, keyFrom),
    ],
  }
}
