import { createServer } from 'node:http'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import type { Row } from './report.ts'
import { percentile } from './statistics.ts'
import { onLoopback } from './tabs.ts'

const count = { candles: 50_000, marks: 1_000 }
const mostMs = 300

/** How long the chart of the dashboard takes to draw many candles and marks. The floor: the same candles without it. */
export async function drawnChart(browser: Browser, rounds: number): Promise<Row[]> {
  const files = await bundle()
  await using server = await onLoopback(
    createServer(({ url }, response) => {
      const file = files.get(url!)
      if (file === undefined) return void response.setHeader('content-type', 'text/html').end(page)
      response.setHeader('content-type', file.type).end(file.text)
    }),
  )
  const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const floorMs: number[] = []
  const chartMs: number[] = []
  for (let round = 0; round < rounds; round++) {
    // Each time in a new document, as a user opens the page. The first one also compiles the library.
    for (const [what, times] of [
      ['library', floorMs],
      ['chart', chartMs],
    ] as const) {
      await tab.goto(server.url)
      await tab.waitForLoadState('load')
      times.push(await tab.evaluate<number>(`globalThis.draw(${JSON.stringify(what)})`))
    }
  }
  await tab.close()
  const candles = `${count.candles.toLocaleString('en')} candles`
  const p50 = percentile(chartMs, 0.5)
  return [
    {
      name: `floor: the chart library draws ${candles} as a line`,
      p50Ms: percentile(floorMs, 0.5),
      mostMs: Math.max(...floorMs),
    },
    {
      name: `chart with ${candles} and ${count.marks.toLocaleString('en')} marks`,
      p50Ms: p50,
      mostMs: Math.max(...chartMs),
      target: { text: `within ${mostMs} ms`, met: p50 <= mostMs },
    },
  ]
}

const page =
  '<!doctype html><title>chart</title><link rel="stylesheet" href="/draw.css"><script type="module" src="/draw.js"></script><div id="chart"></div>'

/** The chart of the dashboard, and a program that draws it. Each drawing ends with the second frame after it began. */
async function bundle(): Promise<Map<string, { type: string; text: string }>> {
  const dashboard = join(import.meta.dirname, '../packages/dashboard/src')
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: dashboard, loader: 'ts' },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    outfile: 'draw.js',
    logLevel: 'silent',
  })
  const type = (path: string) => (path.endsWith('.css') ? 'text/css' : 'text/javascript')
  return new Map(
    outputFiles.map(({ path, text }) => [`/draw.${path.split('.').at(-1)}`, { type: type(path), text }]),
  )
}

const program = `
import './look/tokens.css'
import { createChart, LineSeries } from 'lightweight-charts'
import { ChartView } from './parts/chart/draw.ts'

const element = document.getElementById('chart')
element.style.height = '640px'
const minute = 60_000
const candles = Array.from({ length: ${count.candles} }, (_, n) => {
  const open = 60_000 + 4_000 * Math.sin(n / 900) + 300 * Math.sin(n / 17)
  const last = open + 90 * Math.sin(n * 1.7)
  return { time: n * minute, open, high: Math.max(open, last) + 40, low: Math.min(open, last) - 40, last, volume: 1 + (n % 97) }
})
const kinds = ['signal', 'order', 'fill']
const marks = Array.from({ length: ${count.marks} }, (_, n) => ({
  at: n * minute * ${count.candles / count.marks},
  kind: kinds[n % 3],
  side: n % 2 === 0 ? 'up' : 'down',
  text: 'mark ' + n,
}))
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))

globalThis.draw = async (what) => {
  const startedMs = performance.now()
  if (what === 'library') {
    const chart = createChart(element, { autoSize: true, timeScale: { minBarSpacing: 0.02 } })
    chart.addSeries(LineSeries).setData(candles.map(({ time, last }) => ({ time: time / 1000, value: last })))
    chart.timeScale().fitContent()
  } else {
    const view = new ChartView(element, { isDaily: false, hasCurves: false, isWhole: true, onStart() {}, onPoint() {}, onJoin() {} })
    view.setCandles(candles)
    view.setMarks(marks)
  }
  await frame()
  await frame()
  return performance.now() - startedMs
}
`
