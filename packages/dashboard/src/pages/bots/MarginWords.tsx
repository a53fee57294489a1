import type { Position } from '@tickwright/client'
import { Price } from '../../parts/Values.tsx'
import { isStopTooLate } from './margin.ts'
import styles from './positions.module.css'

/** What the exchange says about the margin of a live futures position; nothing for others. */
export function MarginWords({ position }: { position: Position }) {
  const { leverage, margin_mode, liquidation_price } = position
  if (leverage === null && margin_mode === null && liquidation_price === null) return null
  const isUnknown = leverage === null && liquidation_price === null
  const margin = [margin_mode, isUnknown ? 'leverage not known' : leverage && `${leverage}×`]
    .filter(Boolean)
    .join(', ')
  return (
    <p className={styles.margin}>
      {margin !== '' && <>Margin: {margin}. </>}
      {liquidation_price !== null && (
        <>
          The exchange would liquidate it at <Price value={liquidation_price} />.
        </>
      )}
      {isStopTooLate(position) && <strong> That is before its stop, so the stop comes too late.</strong>}
    </p>
  )
}
