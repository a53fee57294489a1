import { createChart, type IChartApi } from 'lightweight-charts'
import { checkedLocale } from './locale.ts'
import { msOf } from './shapes.ts'
import { axisTimes, type TickKind } from './times.ts'

/** An empty chart that has the size of the element, and follows it. `isDaily`: its times are days of UTC. */
export function makeChart(element: HTMLElement, isDaily: boolean): IChartApi {
  const locale = checkedLocale(navigator.language)
  const times = axisTimes(locale, isDaily)
  return createChart(element, {
    autoSize: true,
    layout: { attributionLogo: false, fontFamily: getComputedStyle(element).fontFamily, fontSize: 11 },
    localization: { locale, timeFormatter: (time: unknown) => times.whole(msOf(time)) },
    timeScale: {
      timeVisible: true,
      secondsVisible: false,
      tickMarkFormatter: (time: unknown, kind: TickKind) => times.tick(msOf(time), kind),
    },
  })
}
