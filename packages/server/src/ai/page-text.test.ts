import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageText } from './page-text.ts'

const limit = 32 * 1024

test('a page becomes the text that a person would read', async () => {
  const page = `<!DOCTYPE html>
    <html><head><meta charset="utf-8"><title>News &amp; more</title><style>p { color: red }</style></head>
    <body><nav>Home</nav><h1>Big   news</h1>
    <p>First <b>bold</b>
       line.<p>Second<br>line.
    <ul><li>One<li>Two</ul>
    <table><tr><td>BTC</td><td>67,000&nbsp;&euro;</td></tr></table>
    <script>document.write("<p>No")</script><noscript>No</noscript>
    <div hidden>No <i>no</i></div><span style="color:red; display : none">No</span> End.</body></html>`
  assert.equal(
    await pageText(page, limit),
    'News & more\nHome\nBig news\nFirst bold line.\nSecond\nline.\nOne\nTwo\nBTC 67,000 €\nEnd.',
  )
})

test('what is no page stays as it is', async () => {
  for (const text of ['{"html":"<html>"}', 'a < b', '<rss><title>x</title></rss>', '', '  <p>part</p>']) {
    assert.equal(await pageText(text, limit), text)
  }
  assert.equal(await pageText('<!-- x --><HTML lang=en><p>Yes</html>', limit), 'Yes')
})

test('what comes after the limit is not looked at', async () => {
  const text = await pageText(`<html>${'<p>word'.repeat(100_000)}`, limit)
  // The block around a text cuts it exactly, and says so.
  assert.ok(text.length > limit && text.length < limit + 8_192, `${text.length}`)
})

test('no page of a megabyte holds the event loop, whatever it has', async () => {
  const start = '<!doctype html><body>'
  const repeated = (part: string) => start + part.repeat((1024 * 1024 - start.length) / part.length)
  const pages = [
    ...[
      '<b>',
      '<p>x',
      '<ul><li>x',
      '</p>',
      '<',
      '&',
      '&amp;',
      'a ',
      '<!--x-->',
      '<svg><style>',
      '<a b=c ',
    ].map(repeated),
    // The end of an element that is not open has the parser look through all that are.
    `${start}${'<b>'.repeat(150_000)}${'</i>'.repeat(140_000)}`,
    `${start}<a href="${'x'.repeat(1024 * 1024)}`,
  ]
  for (const page of pages) {
    const longestMs = await longestTurnMs(() => pageText(page, limit))
    // Without turns, some pages take seconds.
    assert.ok(longestMs < 250, `${page.slice(20, 40)}: ${longestMs} ms`)
  }
})

/** The most processor time, in ms, that anything else waits for its turn meanwhile. Other programs do not count. */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0
  let isOver = false
  let before = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1_000)
    before = process.threadCpuUsage()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isOver = true
  look()
  return longestMs
}
