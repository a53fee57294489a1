import { useMemo } from 'react'
import { encode } from 'uqr'
import styles from '../settings.module.css'
import { pathOf } from './qr.ts'

/** A QR code, drawn as elements. It is dark on light in both themes, because many cameras read no other. */
export function QrCode({ text, name }: { text: string; name: string }) {
  const { size, data } = useMemo(() => encode(text, { border: 3 }), [text])
  return (
    <svg className={styles.qr} role="img" aria-label={name} viewBox={`0 0 ${size} ${size}`}>
      <path d={pathOf(data)} />
    </svg>
  )
}
