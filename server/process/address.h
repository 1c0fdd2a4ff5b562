/* Socket addresses and URLs: parsing, formatting, classification. IPv4-mapped IPv6 addresses are
 * treated as IPv4. */
#ifndef SRV_PROCESS_ADDRESS_H
#define SRV_PROCESS_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Parses a numeric address, bare or in brackets, or "localhost". False: the text is not an
 * address. */
bool srv_address_parse(const char *text, uint16_t port, struct sockaddr_storage *out,
                       socklen_t *length);
bool srv_address_is_loopback(const struct sockaddr *address);
/* Formats the numeric address without its port. out: at least 64 bytes. */
void srv_address_text(const struct sockaddr *address, char *out);
/* Writes the IPv4 address in host byte order. False: not an IPv4 address. */
bool srv_address_ipv4(const struct sockaddr *address, uint32_t *out);

/* Size of a buffer for a URL to display. */
#define SRV_ADDRESS_URL_MAX 512
/* Copies the URL without its password, truncated to the size of out. Returns out. */
const char *srv_address_hide_password(const char *url, char out[SRV_ADDRESS_URL_MAX]);

#endif
