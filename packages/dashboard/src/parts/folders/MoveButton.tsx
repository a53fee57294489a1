import { FolderInput } from 'lucide-react'
import { plainText } from '../../base/text.ts'
import { Button } from '../Button.tsx'
import styles from './folders.module.css'

/** In a row whose link covers everything: a button that moves the item of the row. */
export function MoveButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <span className={styles.above}>
      <Button look="quiet" isSquare aria-label={`Move ${plainText(name)} to a folder`} onClick={onClick}>
        <FolderInput aria-hidden />
      </Button>
    </span>
  )
}
