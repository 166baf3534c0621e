import { DOMParser, type Document, type Element, XMLSerializer } from "@xmldom/xmldom";

export type { Document, Element };

/** A parser that refuses what is not well-formed, instead of repairing it in silence. */
export function parseXml(text: string): Document {
  return new DOMParser({
    onError: (level, message) => {
      if (level !== "warning") throw new Error(`not well-formed XML: ${message}`);
    },
  }).parseFromString(text, "text/xml");
}

export function printXml(node: Document | Element): string {
  return new XMLSerializer().serializeToString(node);
}

/** The first child element of that name. */
export function childNamed(parent: Document | Element, name: string): Element | undefined {
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === 1 && node.nodeName === name) return asElement(node);
  }
  return undefined;
}

/** Every element of that name, at any depth. */
export function allNamed(parent: Document | Element, name: string): readonly Element[] {
  return [...parent.getElementsByTagName(name)];
}

function asElement(node: object): Element | undefined {
  return isElement(node) ? node : undefined;
}

function isElement(node: object): node is Element {
  return "getAttribute" in node;
}
