import { useEffect, useMemo, useRef, useState } from 'react'
import { formatNumber } from '../../base/numbers.ts'
import { moneyDigits } from '../../base/symbols.ts'
import { useSettled } from '../../base/use-settled.ts'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { Notice } from '../../parts/Notice.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { problemsOf, type SizeBody, sizeBodyOf } from './size-body.ts'

type Previews = Awaited<ReturnType<typeof client.bots.signal.size>>

/** What the form that it is in would order at the current price, as the service works it out, before anything is saved. */
export function SizeExample({ botId }: { botId?: number | undefined }) {
  const place = useRef<HTMLDivElement>(null)
  const [body, setBody] = useState<SizeBody | null>(null)
  useEffect(() => {
    const form = place.current!.closest('form')!
    let timer: ReturnType<typeof setTimeout>
    // A choice can add fields and take others away, which are drawn after the event.
    const read = () => {
      clearTimeout(timer)
      timer = setTimeout(() => setBody(sizeBodyOf(new FormData(form), botId)))
    }
    read()
    form.addEventListener('input', read)
    form.addEventListener('change', read)
    return () => {
      clearTimeout(timer)
      form.removeEventListener('input', read)
      form.removeEventListener('change', read)
    }
  }, [botId])
  const asked = useSettled(body === null ? null : JSON.stringify(body), 400)
  const { data, error } = useQuery({
    queryKey: ['bot-size', asked],
    queryFn: () => client.bots.signal.size(JSON.parse(asked!) as SizeBody),
    enabled: asked !== null,
    // The price moves, and no event tells.
    refetchInterval: 10_000,
    retry: false,
  })
  const problems = useMemo(() => problemsOf(error), [error])
  return (
    <div ref={place} role="status">
      {problems.length > 0 ? (
        <Notice tone="warning">
          The service would refuse these settings: <Foreign text={problems.join('; ')} />.
        </Notice>
      ) : (
        data && <Examples data={data} isForAny={body?.symbol === undefined} />
      )}
    </div>
  )
}

function Examples({ data: { previews, symbol_count }, isForAny }: { data: Previews; isForAny: boolean }) {
  const wouldRefuse = previews.some(({ status }) => status === 'REFUSED')
  const others = symbol_count - previews.length
  return (
    <Notice tone={wouldRefuse ? 'warning' : 'info'}>
      {previews.map((preview) => (
        <p key={preview.symbol}>
          {isForAny && 'For example: '}
          <Example preview={preview} />
        </p>
      ))}
      {others > 0 && <p>And {formatNumber(others)} more symbols.</p>}
    </Notice>
  )
}

function Example({
  preview: { symbol, status, reason, price, size, value, base, quote, stop_price, loss_at_stop, note },
}: {
  preview: Previews['previews'][number]
}) {
  const money = (sum: string | null) => formatNumber(sum, { digits: moneyDigits(quote) })
  if (status === 'OPENS')
    return (
      <>
        At {formatNumber(price)}, a signal for <Foreign text={symbol} /> buys {formatNumber(size)}{' '}
        <Foreign text={base!} /> for {money(value)} <Foreign text={quote!} />.
        {stop_price !== null && (
          <>
            {' '}
            If its stop at {formatNumber(stop_price)} closes it, it loses {money(loss_at_stop)}{' '}
            <Foreign text={quote!} /> with fees.
          </>
        )}
        {note !== null && ` ${note}`}
      </>
    )
  return (
    <>
      {status === 'REFUSED' ? 'The bot would refuse a signal for ' : 'Nobody knows now what it would buy of '}
      <Foreign text={symbol} />: <Foreign text={reason ?? ''} />
    </>
  )
}
