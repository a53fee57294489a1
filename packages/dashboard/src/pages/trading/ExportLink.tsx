import { Download } from 'lucide-react'
import { Button } from '../../parts/Button.tsx'
import buttonStyles from '../../parts/button.module.css'
import { exportOf, type TradingFilters } from './filters.ts'

/** Downloads the records of a tab as a file for spreadsheets. */
export function ExportLink({ filters }: { filters: TradingFilters }) {
  const file = exportOf(filters)
  if ('unavailable' in file)
    return (
      <Button unavailable={file.unavailable}>
        <Download aria-hidden /> Export as CSV
      </Button>
    )
  return (
    <a className={buttonStyles.button} href={file.href} download>
      <Download aria-hidden /> Export as CSV
    </a>
  )
}
