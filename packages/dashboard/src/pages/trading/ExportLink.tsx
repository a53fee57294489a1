import { Download } from 'lucide-react'
import buttonStyles from '../../parts/button.module.css'
import { exportOf, type TradingFilters } from './filters.ts'

/** Downloads the records of a tab as a file for spreadsheets. */
export function ExportLink({ filters }: { filters: TradingFilters }) {
  return (
    <a className={buttonStyles.button} href={exportOf(filters)} download>
      <Download aria-hidden /> Export as CSV
    </a>
  )
}
