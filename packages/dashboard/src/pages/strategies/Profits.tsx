import { formatNumber } from '../../base/numbers.ts'
import { moneyDigits } from '../../base/symbols.ts'
import { plainText } from '../../base/text.ts'
import { Mode } from '../../parts/Marks.tsx'
import { Value } from '../../parts/Values.tsx'
import { type Profit, profitsText } from './profits.ts'

/** The profit with the most money at risk. Others are never added to it: a number says how many there are. */
export function Profits({ profits }: { profits: readonly Profit[] | undefined }) {
  const [first, ...others] = profits ?? []
  if (first === undefined) return <>–</>
  const { mode, demo, realised, currency } = first
  const all = profitsText(profits!, (value) => formatNumber(value, { isSigned: true }))
  return (
    <span title={plainText(all)}>
      {others.length > 0 && `and ${others.length} more `}
      {mode === null ? 'deleted' : <Mode mode={mode} demo={demo} />}{' '}
      <Value
        value={realised}
        digits={moneyDigits(currency)}
        isResult
        {...(currency === null ? {} : { unit: plainText(currency) })}
      />
    </span>
  )
}
